"""Messages of factor graphs: normal distributions, perhaps flat, by precision and precision-adjusted mean."""

from dataclasses import dataclass

from tests.reference.truncated import draw, win


@dataclass(frozen=True)
class Message:
    pi: float = 0.0
    tau: float = 0.0

    @staticmethod
    def of(mean: float, variance: float) -> "Message":
        return Message(1.0 / variance, mean / variance)

    def __mul__(self, other: "Message") -> "Message":
        return Message(self.pi + other.pi, self.tau + other.tau)

    def __truediv__(self, other: "Message") -> "Message":
        return Message(self.pi - other.pi, self.tau - other.tau)

    @property
    def mean(self) -> float:
        return self.tau / self.pi

    @property
    def variance(self) -> float:
        return 1.0 / self.pi

    def plus(self, other: "Message", sign: int = 1) -> "Message":
        """The distribution of the sum of two independent variables, or of their difference if the sign is -1."""
        if not self.pi or not other.pi:
            return FLAT
        return Message.of(self.mean + sign * other.mean, self.variance + other.variance)

    def cut(self, margin: float, *, within: bool) -> "Message":
        """The normal with the moments of this one truncated to values above the margin, or within the margin of 0."""
        deviation = self.variance**0.5
        v, w = (draw if within else win)(self.mean / deviation, margin / deviation)
        return Message.of(self.mean + deviation * v, self.variance * (1.0 - w))


FLAT = Message()
