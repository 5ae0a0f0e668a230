(* Runs the programs that Coq extracted. Each line of the standard input is a word and whole numbers of 0 or more; the
   answer is a line of them. A list is its length and its elements.

     lru, tlru or tob  N C xi forced  [conversation past cached estimate]  [turn]   the excess of each turn
     bound             C xi  [turn]  [step]      what no plan's TEL is below, as P is the set of these steps from 1

   A turn is: conversation history prompt response estimate. What comes first in the initial cache came first. *)
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

let replayed policy tokens =
  let n = next tokens in
  let capacity = next tokens in
  let xi = next tokens in
  let forced = next tokens > 0 in
  let starts = listed tokens start in
  let world, cache = began n starts in
  policy n capacity xi forced world cache (listed tokens turn)

let bound tokens =
  let capacity = next tokens in
  let xi = next tokens in
  let turns = listed tokens turn in
  let marks = Array.make (List.length turns) false in
  List.iter (fun step -> marks.(step - 1) <- true) (listed tokens next);
  [ least_tel capacity xi turns (Array.to_list marks) ]

let answer word tokens =
  match word with
  | "lru" -> replayed run_lru tokens
  | "tlru" -> replayed run_tlru tokens
  | "tob" -> replayed (fun n c xi forced world cache turns -> run_tob n c xi forced world turns cache) tokens
  | "bound" -> bound tokens
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
