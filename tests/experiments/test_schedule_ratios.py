"""The ratios of schedules to the best ones: a table, and that no schedule is better."""

import numpy as np
import pytest

from experiments import schedule_ratios as experiment


@pytest.mark.parametrize("family", experiment.FAMILIES)
def test_applications_are_drawn_in_order(family):
    tasks = experiment.FAMILIES[family](np.random.default_rng(1))
    assert all(i < j for j, task in enumerate(tasks) for i in task.after)
    assert len({task.application for task in tasks}) == 1 + max(task.application for task in tasks)


def test_the_table_has_a_line_for_each_schedule(monkeypatch, capsys):
    monkeypatch.setattr(experiment, "FAMILIES", {"chains": experiment.chains})
    experiment.main(["--seeds", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(experiment.WAYS)
    assert all(line.startswith("| chains | ") and " of 2 |" in line for line in lines[2:])
    assert all(one >= 1 for every in experiment.ratios("chains", 2).values() for one in every)
