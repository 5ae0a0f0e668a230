(* The programs in OCaml. Numbers are OCaml's integers with the operations of checked.ml, which raise an exception
   where a sum does not fit in 62 bits: what is printed is what Coq's natural numbers give. *)
From Coq Require Extraction ExtrOcamlBasic.
From Coq Require Import Arith.
Require Import Model Replays Programs Foresight Checker ForestPrograms ForestForesight.

Extract Inductive nat => "int" [ "0" "Checked.succ" ] "Checked.either".
Extract Constant Init.Nat.add => "Checked.add".
Extract Constant Init.Nat.sub => "Checked.sub".
Extract Constant Nat.eqb => "Checked.eqb".
Extract Constant Nat.leb => "Checked.leb".
Extract Constant Nat.ltb => "Checked.ltb".
Extract Constant Init.Nat.min => "Checked.min".
Extract Constant Init.Nat.max => "Checked.max".
Extract Constant Init.Nat.mul => "Checked.mul".

Extraction "extracted.ml" run_lru run_tlru run_tob least_tel run_forest_lru run_forest_tlru run_forest_tob.
