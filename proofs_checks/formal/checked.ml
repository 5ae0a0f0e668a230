(* Coq's natural numbers as OCaml's integers: what is too large for one is an exception, never a wrong number. *)
exception Too_large

let add a b = if a > max_int - b then raise Too_large else a + b
let mul a b = if a > 0 && b > max_int / a then raise Too_large else a * b
let succ a = add a 1
let either zero next n = if n = 0 then zero () else next (n - 1)
let sub a b = if a < b then 0 else a - b
let min (a : int) b = if a < b then a else b
let max (a : int) b = if a < b then b else a
let eqb (a : int) b = a = b
let leb (a : int) b = a <= b
let ltb (a : int) b = a < b
