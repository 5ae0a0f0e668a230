"""vLLM's server log, in the forms that its versions print."""

import pytest
from formats.files import wrong_files

import teltheory as tt
from teltheory.cli import main

PARAMS = "SamplingParams(n=1, temperature=0.7, stop=['prompt_token_ids: [9], '], max_tokens=100)"


def asked(name, text, ids, time, form):
    """A request as versions 0.2, 0.6, 0.9 and, at debug level, 0.11 print it."""
    embeds = "prompt_embeds shape: None, "
    received = f"Received request {name}: prompt: {text!r}, "
    tail = f"prompt_token_ids: {ids}, "
    return {
        "0.2": f"INFO {time} async_llm_engine.py:436] {received}prefix_pos: None,sampling_params: {PARAMS}, {tail}"
        "lora_request: None.",
        "0.6": f"INFO {time} logger.py:36] {received}params: {PARAMS}, {tail}lora_request: None, "
        "prompt_adapter_request: None.",
        "0.9": f"INFO {time} [logger.py:43] {received}params: {PARAMS}, {tail}{embeds}lora_request: None.",
        "0.11": f"(APIServer pid=7) DEBUG {time} [logger.py:41] Request {name} details: prompt: {text!r}, "
        f"prompt_token_ids: {ids}, prompt_embeds shape: None.\n"
        f"(APIServer pid=7) INFO {time} [logger.py:49] Received request {name}: params: {PARAMS}, lora_request: 0",
    }[form]


def answered(name, text, ids, time, form):
    generated = f"INFO {time} [logger.py:66] Generated response {name}"
    if form == "0.11":
        return (
            f"DEBUG {time} [logger.py:60] Generated response {name} details: output_token_ids: {ids}\n"
            f"{generated}: output: {text!r}, finish_reason: stop"
        )
    return f"{generated}: output: {text!r}, output_token_ids: {ids}, finish_reason: stop"


def log(form):
    return "\n".join(
        [
            "INFO 12-31 23:59:50 [api_server.py:1] vLLM API server version 0.9.0",
            asked("cmpl-a-0", "it's", [1, 2, 3], "12-31 23:59:58", form),
            answered("cmpl-a", " é\n'", [4, 5, 6], "12-31 23:59:59", form),
            asked("chatcmpl-b", 'say "no"', [1, 2, 9, 9], "12-31 23:59:59", form),
            "INFO 01-01 00:00:00 [logger.py:66] Generated response chatcmpl-b (streaming delta): output: 'x', "
            "output_token_ids: [8], finish_reason: None",
            "INFO 01-01 00:00:00 [logger.py:66] Generated response chatcmpl-b (streaming complete): output: 'x', "
            "output_token_ids: None, finish_reason: streaming_complete",
            asked("cmpl-c-0", "it's", [1, 2, 3, 4, 5, 6, 7], "01-01 00:00:01", form),
            'INFO:     127.0.0.1:1 - "POST /v1/completions HTTP/1.1" 200 OK',
        ]
    )


@pytest.mark.parametrize("form", ["0.2", "0.6", "0.9", "0.11"])
def test_requests_go_on_from_each_other_by_their_tokens(form, tmp_path):
    (tmp_path / "server.log").write_text(log(form))
    trace = tt.read_trace(tmp_path / "server.log", blocks=2)
    assert trace.report.format == "vllm-log"
    assert trace.arrival.tolist() == [0, 1, 3]
    assert (trace.total.tolist(), trace.response.tolist()) == ([3, 4, 7], [3, 1, 0])
    assert (trace.conversation.tolist(), trace.history.tolist()) == ([0, 1, 0], [0, 0, 6])
    forest = trace.blocks
    assert (forest.ask.tolist(), forest.past.tolist(), forest.known.tolist()) == ([1, 2, 3], [3, 2, 3], [0, 1, 3])
    assert dict(trace.report.odd) == {"requests whose output is not in the log, taken for 0 tokens": 1}


def test_prompts_without_ids_are_counted_by_a_tokenizer(tmp_path):
    text = asked("a", "aaaabbbb", None, "02-13 11:33:33", "0.9") + "\n"
    (tmp_path / "s.log").write_text(text + answered("a", "cccc", None, "02-13 11:33:34", "0.9") + "\n")
    trace = tt.read_trace(tmp_path / "s.log", blocks=1, tokenizer="characters/4")
    assert (trace.total.tolist(), trace.response.tolist(), trace.blocks.past.tolist()) == ([2], [1], [3])
    with pytest.raises(
        tt.FileError, match=r"line 1, prompt_token_ids: found nothing, expected ids of tokens, or a"
    ):
        tt.read_trace(tmp_path / "s.log", blocks=1)


BARE = f"INFO 02-13 11:33:33 [logger.py:49] Received request chatcmpl-a: params: {PARAMS}, lora_request: None."


test_what_is_wrong_is_one_line = wrong_files(
    "server.log",
    (BARE, ": found requests without their prompts, expected prompts: --enable-log-requests, and from vLLM 0.11"),
    ("INFO 02-13 11:33:33 [loggers.py:2] Engine 000\n", ": found no line with 'Received request'"),
    (asked("a", "x", [1], "02-30 11:33:33", "0.9"), "line 1, line: found '02-30 11:33:33', expected a date and a"),
    (asked("a", "x", [1], "", "0.9"), "line 1, line: found 'INFO  [logger.py:43] ', expected a time such as"),
    (asked("a", "x", f"[1, {'9' * 5000}]", "02-13 11:33:33", "0.9"), f"line 1, ids of tokens: found {'9' * 20}"),
    format="vllm-log",
    blocks=16,
)


def test_a_log_of_json_lines_is_told_by_what_it_begins_with(tmp_path):
    (tmp_path / "host_0.log").write_text('{"conversation": 1, "prompt": 2, "response": 3}\n')
    assert tt.read_trace(tmp_path / "host_0.log").past.tolist() == [5]


def test_the_command_line_says_what_a_log_needs(tmp_path, capsys):
    (tmp_path / "server.log").write_text(log("0.9"))
    with pytest.raises(SystemExit, match="2"):
        main(["trace", "describe", str(tmp_path / "server.log")])
    assert "blocks: found None, expected the tokens per block, such as 16 (--blocks 16)" in capsys.readouterr().err
