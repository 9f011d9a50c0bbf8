"""MaskablePPO's policy with a shared trunk and a masked categorical that costs one masked fill and one log-softmax."""

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from heist_envs.policies.network import NetworkPolicy, body, empty_network, masked_log_policy, sample


class SharedTrunk(BaseFeaturesExtractor):
    """The layers shared by policy and value, for each role its own; with `net_arch=[]` nothing else lies before the
    two heads. They see the observation and `memory_width` floats more."""

    def __init__(self, observation_space, layers, activation, roles, memory_width=0):
        module, width = body(observation_space.shape[0] + memory_width, layers, activation, roles)
        super().__init__(observation_space, width)
        self.layers, self.activation = tuple(layers), activation
        self.trunk = module

    def forward(self, observations):
        return self.trunk(observations)


class FastMaskablePolicy(MaskableActorCriticPolicy):
    """Numerically the stock policy, without building a distribution object in `forward` and `evaluate_actions`:
    that object is a fifth of the stock policy's time. Only for one discrete action and a shared trunk."""

    memory_width = 0  # floats it keeps per seat from one decision to the next

    def forward(self, obs, deterministic=False, action_masks=None):
        return self._choose(self._latent(obs), deterministic, action_masks)

    def evaluate_actions(self, obs, actions, action_masks=None):
        return self._judge(self._latent(obs), actions, action_masks)

    def _latent(self, observations):
        """(N, W) that both heads see."""
        return self.mlp_extractor(self.extract_features(observations))[0]

    def _choose(self, latent, deterministic, action_masks):
        """Actions (N,), values (N, 1), log-probabilities (N,)."""
        log_policy = masked_log_policy(self.action_net(latent), action_masks)
        actions = log_policy.argmax(-1) if deterministic else sample(log_policy)
        return actions, self.value_net(latent), log_policy.gather(-1, actions[:, None]).squeeze(-1)

    def _judge(self, latent, actions, action_masks):
        """Values (N, 1), log-probabilities (N,) of the actions, entropies (N,)."""
        log_policy = masked_log_policy(self.action_net(latent), action_masks)
        entropy = -(log_policy.exp() * log_policy).sum(-1)  # illegal actions: 0 x a finite number
        return self.value_net(latent), log_policy.gather(-1, actions.long().view(-1, 1)).squeeze(-1), entropy


def policy_options(layers, activation, roles=None, memory_width=0):
    """`policy_kwargs` for `MaskablePPO(FastMaskablePolicy, ...)`; `roles` as from `roles_of(game)`."""
    trunk_options = {"layers": tuple(layers), "activation": activation, "roles": roles, "memory_width": memory_width}
    return {"features_extractor_class": SharedTrunk, "features_extractor_kwargs": trunk_options, "net_arch": []}


def export(policy, game, options, trained):
    """A `NetworkPolicy` with a copy of the weights of a `FastMaskablePolicy` or a `RecurrentMaskablePolicy`."""
    extractor = policy.features_extractor
    network = empty_network(game, extractor.layers, extractor.activation, policy.memory_width)
    network.trunk.load_state_dict(extractor.trunk.state_dict())
    if policy.memory_width:
        network.memory.load_state_dict(policy.remembering.state_dict())
    network.action.load_state_dict(policy.action_net.state_dict())
    network.value.load_state_dict(policy.value_net.state_dict())
    network.eval().requires_grad_(False)
    return NetworkPolicy(game, network, extractor.layers, extractor.activation, dict(options), dict(trained))
