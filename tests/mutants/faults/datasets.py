"""Faults in the readers of data sets and in what they write."""

from mutants.fault import Fault

WORKLOADS = "teltheory/workloads"
CHATS, LOGS = "tests/workloads/test_chat_readers.py", "tests/workloads/test_log_readers.py"
STREAMS, WRITING = "tests/workloads/test_streams.py", "tests/workloads/test_writing.py"

FAULTS = (
    Fault(
        "leading-responses-are-lost",
        f"{WORKLOADS}/messages.py",
        "start, at = 0, _past(answers, 0, True)",
        "start = at = _past(answers, 0, True)",
        "what an assistant says first is no part of the first prompt",
        tests=(CHATS,),
    ),
    Fault(
        "times-may-go-back",
        f"{WORKLOADS}/reading.py",
        "latest = time if latest is None else max(latest, time)",
        "latest = time",
        "a turn arrives before an earlier one of its conversation",
        tests=(CHATS,),
    ),
    Fault(
        "a-branch-has-the-whole-past",
        f"{WORKLOADS}/requests.py",
        "history = np.minimum(history, np.where(parent >= 0, ends[parent], 0))",
        "history = np.minimum(history, past)",
        "a request shares more with its conversation than its parent had",
        tests=(LOGS,),
    ),
    Fault(
        "whole-inputs-are-taken-for-new",
        f"{WORKLOADS}/sessions.py",
        "return WHOLE if begins_alike.pop() else DELTA",
        "return DELTA if begins_alike.pop() else WHOLE",
        "the two readings of a session's input lengths are exchanged",
        tests=(LOGS,),
    ),
    Fault(
        "edited-messages-are-shared",
        f"{WORKLOADS}/logs.py",
        "if common == len(session.digests) > 0:",
        "if session.digests:",
        "a response that an agent edited counts as history",
        tests=(LOGS,),
    ),
    Fault(
        "conversations-end-where-they-begin",
        f"{WORKLOADS}/times.py",
        "starts = last - since[first + sizes - 1]",
        "starts = last - since[first]",
        "the time of a conversation's last turn is taken for that of its first",
        tests=("tests/workloads/test_times.py",),
    ),
    Fault(
        "special-tokens-count",
        f"{WORKLOADS}/counting.py",
        "add_special_tokens=False",
        "add_special_tokens=True",
        "tokens that a tokenizer adds around a text are counted",
        tests=("tests/workloads/test_counting.py",),
    ),
    Fault(
        "an-array-is-read-at-once",
        f"{WORKLOADS}/streams.py",
        "max(CHUNK, len(self.text) - self.at)",
        "10**9",
        "a JSON array is in memory as a whole",
        tests=(STREAMS,),
    ),
    Fault(
        "given-histories-are-not-written",
        f"{WORKLOADS}/writing.py",
        '"history": trace.cumulative',
        '"history": True',
        "a trace with shortened histories comes back cumulative",
        tests=(WRITING,),
    ),
    Fault(
        "half-a-file-stays",
        "teltheory/whole_files.py",
        "        beside.unlink(missing_ok=True)\n",
        "        pass\n",
        "what was written beside a file stays there where it fails",
        tests=(WRITING,),
    ),
)
