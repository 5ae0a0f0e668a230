(* Runs the programs that Coq extracted. Each line of the standard input is a word and whole numbers of 0 or more; the
   answer is a line of them. A list is its length and its elements.

     lru, tlru or tob  N C xi forced  [start]  [turn]           the excess of each turn
     bound             N C xi forced  [start]  [turn]  [step]   what no plan's TEL is below, by the steps P, from 1

     forest-lru or forest-tlru  N C xi Q r  [request]   the same on shared prefixes, where the latest r requests run
     forest-tob                 N C xi r  [block]  [request]   of Tail-Optimized Belady that begins with these blocks

   A start, the least recent first, is: conversation past cached estimate. A turn is: conversation history prompt
   response estimate. A request is what it asks for, its total, and the list of its blocks, below N, root first. *)
open Extracted

exception Ill_formed

let next tokens =
  match !tokens with
  | [] -> raise Ill_formed
  | word :: rest ->
    tokens := rest;
    (match int_of_string_opt word with Some n when n >= 0 -> n | _ -> raise Ill_formed)

let rec times n read = if n = 0 then [] else let one = read () in one :: times (n - 1) read
let listed tokens read = let n = next tokens in times n (fun () -> read tokens)

let turn tokens =
  let who = next tokens in
  let history = next tokens in
  let prompt = next tokens in
  let response = next tokens in
  { who; history; prompt; response; estimate = next tokens }

let start tokens =
  let who = next tokens in
  let past = next tokens in
  let cached = next tokens in
  (who, past, cached, next tokens)

(* The world and the cache before the first turn. *)
let began n starts =
  let past = Array.make n 0 and cached = Array.make n 0 and came = Array.make n 0 and guess = Array.make n 0 in
  let note i (who, its_past, its_cached, its_guess) =
    past.(who) <- its_past; cached.(who) <- its_cached; came.(who) <- i + 1; guess.(who) <- its_guess in
  List.iteri note starts;
  let at column i = if i < n then column.(i) else 0 in
  ({ now = List.length starts + 1; past = at past; came = at came; guess = at guess }, at cached)

let asked tokens answer =
  let n = next tokens in
  let capacity = next tokens in
  let xi = next tokens in
  let forced = next tokens > 0 in
  let world, cache = began n (listed tokens start) in
  answer n capacity xi forced world cache (listed tokens turn)

let bound tokens _ capacity xi forced _ cache turns =
  let marks = Array.make (List.length turns) false in
  List.iter (fun step -> marks.(step - 1) <- true) (listed tokens next);
  [ least_tel capacity xi forced cache turns (Array.to_list marks) ]

let request tokens =
  let ask = next tokens in
  let total = next tokens in
  (ask, total, Array.of_list (listed tokens next))

(* The length of a request's path and its blocks by depth, what it asks for, its total; requests are counted from
   `first`. *)
let columns requests first =
  let at t = if t >= first && t < first + Array.length requests then requests.(t - first) else (0, 0, [||]) in
  let block t d = let _, _, path = at t in if d < Array.length path then path.(d) else 0 in
  ((fun t -> let _, _, path = at t in Array.length path), block,
   (fun t -> let a, _, _ = at t in a), (fun t -> let _, all, _ = at t in all))

let forest tokens lru =
  let n = next tokens in
  let capacity = next tokens in
  let xi = next tokens in
  let q = next tokens in
  let r = next tokens in
  let requests = Array.of_list (listed tokens request) in
  let count = Array.length requests in
  let len, block, ask, total = columns requests 1 in
  let depth = Array.make n 0 and deepest = Array.fold_left (fun k (_, _, p) -> max k (Array.length p)) 0 requests in
  Array.iter (fun (_, _, path) -> Array.iteri (fun d v -> depth.(v) <- d + 1) path) requests;
  let dep v = if v < n then depth.(v) else 0 in
  if lru then run_forest_lru n capacity xi r deepest block len dep ask total count
  else run_forest_tlru n capacity xi q r deepest block len dep ask total count

let forest_tob tokens =
  let n = next tokens in
  let capacity = next tokens in
  let xi = next tokens in
  let r = next tokens in
  let start = listed tokens next in
  let requests = Array.of_list (listed tokens request) in
  let len, block, ask, total = columns requests 0 in
  let first v = List.mem v start in
  run_forest_tob n (Array.length requests) capacity r xi block len ask total first

let answer word tokens =
  match word with
  | "lru" -> asked tokens run_lru
  | "tlru" -> asked tokens run_tlru
  | "tob" -> asked tokens (fun n capacity xi forced _ cache turns -> run_tob n capacity xi forced turns cache)
  | "bound" -> asked tokens (bound tokens)
  | "forest-lru" -> forest tokens true
  | "forest-tlru" -> forest tokens false
  | "forest-tob" -> forest_tob tokens
  | _ -> raise Ill_formed

let () =
  try
    while true do
      match String.split_on_char ' ' (input_line stdin) with
      | [] -> raise Ill_formed
      | word :: rest ->
        let tokens = ref rest in
        let found = answer word tokens in
        if !tokens <> [] then raise Ill_formed;
        print_endline (String.concat " " (List.map string_of_int found))
    done
  with End_of_file -> ()
