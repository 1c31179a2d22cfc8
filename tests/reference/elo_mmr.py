"""Elo-MMR as the paper prints it: algorithms 1 to 3 in plain loops and bisections.

Written from the algorithm boxes and section 1 of the specification, to be compared with the fast
version; it shares no code with it, keeps every factor for ever and uses no table.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass
class Parameters:
    """Names and defaults of the specification; ``memoryless`` makes it Elo-MMR(infinity)."""

    weight_limit: float = 0.2
    sig_limit: float = 80.0
    drift_per_day: float = 0.0
    noob_delay: Sequence[float] = ()
    split_ties: bool = False
    transfer_speed: float = 1.0
    mu_noob: float = 1500.0
    sig_noob: float = 350.0
    memoryless: bool = False


@dataclass
class Player:
    """p, w and beta of each factor; number 0 is the Gaussian (its beta is unused)."""

    mu: float
    sigma: float
    p: list[float]
    w: list[float]
    beta: list[float] = field(default_factory=lambda: [math.nan])
    count: int = 0
    day: float = 0.0


def bar(deviation: float) -> float:
    """The scale of the logistic distribution with this deviation."""
    return deviation * math.sqrt(3.0) / math.pi


def zero(f: Callable[[float], float], low: float, high: float) -> float:
    """The zero of an increasing function, by bisection until the floats run out."""
    while f(low) > 0:
        low -= high - low
    while f(high) < 0:
        high += high - low
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return middle
        if f(middle) > 0:
            high = middle
        else:
            low = middle


def newcomer(parameters: Parameters) -> Player:
    """Algorithm 1: the belief about a player who has never competed."""
    mu, sigma = parameters.mu_noob, parameters.sig_noob
    return Player(mu=mu, sigma=sigma, p=[mu], w=[1.0 / sigma**2])


def diffuse(player: Player, gamma2: float, rho: float) -> None:
    """Algorithm 2."""
    kappa = 1.0 / (1.0 + gamma2 / player.sigma**2)
    w_gauss = kappa**rho * player.w[0]
    w_logistic = (1.0 - kappa**rho) * sum(player.w)
    if w_gauss + w_logistic > 0:
        player.p[0] = (w_gauss * player.p[0] + w_logistic * player.mu) / (w_gauss + w_logistic)
    player.w[0] = kappa * (w_gauss + w_logistic)
    player.w[1:] = [kappa ** (1.0 + rho) * w for w in player.w[1:]]
    player.sigma = math.sqrt(player.sigma**2 / kappa)


def become_gaussian(player: Player, gamma2: float) -> None:
    """Elo-MMR(infinity): nothing but mean and deviation is remembered."""
    player.sigma = math.sqrt(player.sigma**2 + gamma2)
    player.p, player.w, player.beta = [player.mu], [1.0 / player.sigma**2], [math.nan]


def performance(
    i: int, ranks: Sequence[float], mu: Sequence[float], delta: Sequence[float], *, split_ties: bool
) -> float:
    """Algorithm 3, first phase, for row i. A tie is a win and a loss, or half of each."""
    tie = 0.5 if split_ties else 1.0

    def f(x: float) -> float:
        total = 0.0
        for rank, mu_j, delta_j in zip(ranks, mu, delta, strict=True):
            curve = math.tanh((x - mu_j) / (2.0 * bar(delta_j)))
            if rank > ranks[i]:
                total += (curve - 1.0) / bar(delta_j)
            elif rank < ranks[i]:
                total += (curve + 1.0) / bar(delta_j)
            else:
                total += tie * ((curve - 1.0) + (curve + 1.0)) / bar(delta_j)
        return total

    return zero(f, min(mu) - 1.0, max(mu) + 1.0)


def update(player: Player, p: float, beta: float) -> None:
    """Algorithm 3, second phase."""
    player.p.append(p)
    player.w.append(1.0 / beta**2)
    player.beta.append(beta)
    factors = list(zip(player.p, player.w, player.beta, strict=True))[1:]

    def f(x: float) -> float:
        total = player.w[0] * (x - player.p[0])
        for p_k, w_k, beta_k in factors:
            total += w_k * beta_k**2 / bar(beta_k) * math.tanh((x - p_k) / (2.0 * bar(beta_k)))
        return total

    player.mu = zero(f, min(player.mu, p) - 1.0, max(player.mu, p) + 1.0)
    player.sigma = 1.0 / math.sqrt(1.0 / player.sigma**2 + 1.0 / beta**2)


def rate_round(
    parameters: Parameters,
    pool: dict[int, Player],
    players: Sequence[int],
    ranks: Sequence[float],
    *,
    weight: float = 1.0,
    perf_ceiling: float = math.inf,
    day: float = 0.0,
) -> list[float] | None:
    """Algorithm 1, one round; the performance of each row, or None for a round of fewer than two."""
    if len(players) < 2:
        return None
    betas = []
    for number in players:
        player = pool.setdefault(number, newcomer(parameters))
        delay = parameters.noob_delay[player.count] if player.count < len(parameters.noob_delay) else 1.0
        w = weight * parameters.weight_limit * delay
        idle = day - player.day if player.count else 0.0
        betas.append(math.sqrt((1.0 + 1.0 / w) * parameters.sig_limit**2 + parameters.drift_per_day / w))
        gamma2 = w * parameters.sig_limit**2 + parameters.drift_per_day * idle
        if parameters.memoryless:
            become_gaussian(player, gamma2)
        else:
            diffuse(player, gamma2, parameters.transfer_speed)
    field_ = [pool[number] for number in players]
    mu = [player.mu for player in field_]
    delta = [math.hypot(player.sigma, beta) for player, beta in zip(field_, betas, strict=True)]
    performances = [
        min(performance(i, ranks, mu, delta, split_ties=parameters.split_ties), perf_ceiling)
        for i in range(len(players))
    ]
    for player, p, beta in zip(field_, performances, betas, strict=True):
        update(player, p, beta)
        player.count += 1
        player.day = day
    return performances
