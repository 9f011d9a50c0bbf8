"""The fast policy says what the stock policy says, and what is exported says what was trained."""

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from heist_envs import load_game
from heist_envs.policies.network import masked_log_policy, sample
from training.policy import FastMaskablePolicy, export, policy_options

ROWS = 512
torch.set_num_threads(1)


@pytest.fixture
def setting():
    """(fast policy, stock policy with the same weights, observations, masks)."""
    game = load_game("toy_game")
    box, discrete = spaces.Box(game.observation.low, game.observation.high), spaces.Discrete(len(game.actions))
    options = policy_options([32, 16], "tanh")
    torch.manual_seed(0)
    fast = FastMaskablePolicy(box, discrete, lambda _: 1e-3, **options)
    with torch.no_grad():
        fast.action_net.weight.mul_(300)  # SB3 starts with nearly equal logits, which would hide mistakes
    stock = MaskableActorCriticPolicy(box, discrete, lambda _: 1e-3, **options)
    stock.load_state_dict(fast.state_dict())
    rng = np.random.default_rng(1)
    masks = rng.random((ROWS, len(game.actions))) < 0.4
    masks[np.arange(ROWS), rng.integers(len(game.actions), size=ROWS)] = True
    return fast, stock, torch.from_numpy(rng.random((ROWS, game.observation.size), np.float32)), masks


@pytest.mark.parametrize("stacked", [False, True])
def test_equal_to_the_stock_policy(setting, stacked):
    fast, stock, observations, masks = setting
    given = masks[None] if stacked else masks
    for mine, theirs in zip(fast(observations, True, given), stock(observations, True, given), strict=True):
        assert torch.allclose(mine, theirs, atol=1e-5)
    actions = stock(observations, False, given)[0]
    compared = (policy.evaluate_actions(observations, actions, given) for policy in (fast, stock))
    for mine, theirs in zip(*compared, strict=True):
        assert torch.allclose(mine, theirs, atol=1e-5)


def test_gradients_equal_to_the_stock_policy(setting):
    fast, stock, observations, masks = setting
    actions = stock(observations, False, masks)[0]
    for policy in (fast, stock):
        values, log_prob, entropy = policy.evaluate_actions(observations, actions, masks)
        (values.mean() + log_prob.mean() + entropy.mean()).backward()
    for mine, theirs in zip(fast.parameters(), stock.parameters(), strict=True):
        assert torch.allclose(mine.grad, theirs.grad, atol=1e-5)


def test_samples_are_legal_and_follow_the_policy():
    torch.manual_seed(3)
    logits, mask = torch.tensor([[0.0, 3.0, 1.0, 0.5, 9.0]]), torch.tensor([[False, True, True, True, False]])
    log_policy = masked_log_policy(logits, mask)
    drawn = sample(log_policy.expand(40_000, -1))
    shares = torch.bincount(drawn, minlength=5) / len(drawn)
    assert shares[0] == shares[4] == 0
    assert torch.allclose(shares, log_policy.exp()[0], atol=0.01)


def test_a_draw_at_the_very_top_is_legal(monkeypatch):
    """The largest number that torch.rand can return must not fall off the end of the cumulative sum."""
    top = 1 - 2**-24
    monkeypatch.setattr(torch, "rand", lambda rows, columns, **_: torch.full((rows, columns), top))
    mask = torch.arange(40).expand(300, -1) < 1 + torch.arange(300)[:, None] % 30
    log_policy = masked_log_policy(torch.linspace(-3, 3, 300)[:, None] * torch.linspace(-2, 2, 40), mask)
    assert mask.gather(1, sample(log_policy)[:, None]).all()


def test_exported_policy_chooses_alike(setting):
    fast, _, observations, masks = setting
    policy = export(fast, load_game("toy_game"), {}, {})
    chosen = policy.choose(observations.numpy(), masks, deterministic=True)
    assert (chosen == fast(observations, True, masks)[0].numpy()).all()
    assert masks[np.arange(ROWS), policy.choose(observations.numpy(), masks)].all()
    with torch.no_grad():
        fast.action_net.weight.zero_()
    assert (policy.choose(observations.numpy(), masks, deterministic=True) == chosen).all()  # a copy, not a view
