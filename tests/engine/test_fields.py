"""State declarations: what is refused, and what each seat is shown."""

import numpy as np
import pytest

from heist_envs.engine.fields import HIDDEN, OWNER, StateSpec, field
from heist_envs.engine.options import OptionSpec

OPTIONS = OptionSpec((2, 3), 2)


@pytest.mark.parametrize("name", ["sum", "take", "sort", "copy", "item", "fill", "round", "shape", "field"])
def test_names_that_hide_numpy_attributes_are_refused(name):
    with pytest.raises(ValueError, match=f"state field '{name}' hides an attribute of numpy records; choose another name"):
        field(name, "a name that means a method in plain Python")


@pytest.mark.parametrize("kind", [bool, np.bool_, np.uint8, np.int64, np.float32])
def test_other_types_than_int32_and_int8_are_refused(kind):
    with pytest.raises(ValueError, match="must be int32, or int8 to be small: flags are integers 0 and 1"):
        field("marks", "one per seat", 3, type=kind)


def test_known_fields_are_int8():
    with pytest.raises(ValueError, match="has knowers, so it must be int8"):
        field("row", "cards", 3, known="knowers")


def test_records_are_whole_words_and_begin_with_the_header():
    spec = StateSpec(3, OPTIONS, field("odd", "leaves padding", 3, type=np.int8))
    assert spec.dtype.itemsize % 8 == 0 and spec.words * 8 == spec.dtype.itemsize
    assert spec.dtype.names[:5] == ("seed", "dice", "seats", "side", "decisions")
    assert {"option_perfect_recall", "option_reward", "odd"} <= set(spec.dtype.names)
    assert "option_num_players" not in spec.dtype.names


def test_masks_show_each_seat_its_own_row_and_recall_only_with_perfect_recall():
    spec = StateSpec(
        3,
        OPTIONS,
        field("hand", "cards", (3, 2), OWNER),
        field("deck", "order", 4, HIDDEN),
        field("gone", "discarded", 4, HIDDEN, recall=True),
        field("turn", "whose"),
    )
    shown = spec.sight.view(np.uint8)

    def visible(name, recall, seat):
        kind, first = spec.dtype.fields[name][:2]
        return shown[recall, seat, first : first + kind.itemsize].reshape(-1, 4).all(1).tolist()

    for recall in (0, 1):
        for seat in range(3):
            assert visible("hand", recall, seat) == [row == seat for row in range(3) for _ in range(2)]
            assert not any(visible("deck", recall, seat)) and all(visible("turn", recall, seat))
            assert visible("gone", recall, seat) == [bool(recall)] * 4
            assert not any(visible("seed", recall, seat)[:1] + visible("dice", recall, seat)[:1])


def test_table_of_fields_names_sight_and_shape():
    spec = StateSpec(2, OPTIONS, field("hand", "cards held", (2, 5), OWNER, np.int8, recall=True))
    assert list(spec.rows())[-1] == ("hand", "int8 2x5", "owner, all with perfect recall", "cards held")
