"""How every method of the paper looks, in all its figures."""

from collections.abc import Mapping

from replication.style import COLOURS, DASHES, INK, MUTED, Method

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK, GREY = COLOURS
SOLID, DASHED, MIXED, DOTTED, LONG, DOUBLE, DENSE, WIDE = DASHES

METHODS: Mapping[str, Method] = {
    # Regression on digits, or on a few binary inputs.
    "clean": Method("clean data", BLUE, "o", SOLID),
    "noisy": Method("noisy, plain", VERMILION, "s", DASHED),
    "spread_flat": Method("spread, flat prior", GREEN, "^", MIXED),
    "spread_learned": Method("spread, learned prior", PURPLE, "D", DOTTED),
    "spread_true": Method("spread, true prior (peeks)", ORANGE, "v", LONG),
    "noisy_l2_centred": Method("noisy, centred, tuned L2", SKY, "P", DOUBLE),
    "class_means": Method("class means", BLACK, "X", DENSE),
    "spread_centred": Method("spread, flat prior, centred", GREY, "*", WIDE),
    "spread_joint": Method("spread, any joint prior", SKY, "h", SOLID),
    "spread_flat_summed": Method("spread, flat prior, labels summed", VERMILION, "v", DOTTED),
    "spread_flat_z": Method("spread, flat prior, z sampled", BLUE, "D", DASHED),
    "spread_flat_z_summed": Method("spread, flat prior, z sampled, labels summed", ORANGE, "s", SOLID),
    "spread_sampled": Method("spread, normal prior, labels sampled", PURPLE, "^", LONG),
    "spread_summed": Method("spread, normal prior, labels summed", GREEN, "D", WIDE),
    # Where one share ends: the reconstruction approach, and EM.
    "global": Method("global maximum of J", VERMILION, "o", MIXED),
    "interior": Method("interior local maximum of J", BLUE, "s", LONG),
    "em": Method("gradient stopped (EM)", GREEN, "x", SOLID),
    # Estimates of a share from flipped votes.
    "printed": Method("as printed, (24)", VERMILION, "^", SOLID),
    "corrected": Method("sign corrected", BLUE, "P", DOTTED),
    "clipped": Method("clipped to [0, 1]", GREEN, "o", DASHED),
    "truth": Method("truth", MUTED, ""),
    # Divergences.
    "kl": Method("Kullback–Leibler", BLUE, "^", DOUBLE),
    "hellinger": Method("squared Hellinger", VERMILION, "D", LONG),
    "neyman": Method("Neyman χ²", GREEN, "s", DOTTED),
    "jensen_shannon": Method("Jensen–Shannon", PURPLE, "o", SOLID),
    "total_variation": Method("total variation", ORANGE, "P", DASHED),
    "one_sided_square": Method("one-sided square", SKY, "X", DASHED),
    # What an attacker goes by.
    "label_report": Method("label: the reported one", BLUE, "*", WIDE),
    "label_image": Method("label: the noisy image", ORANGE, "X", MIXED),
    "label_pair": Method("label: both", VERMILION, "h", DENSE),
    "identity": Method("identity: nearest candidate", GREEN, "p", DENSE),
    "guessing": Method("guessing the label", INK, "", ":"),
    # Whose privacy is stated.
    "label": Method("label", BLUE, "v", MIXED),
    "pixel": Method("one pixel", ORANGE, "o", DOTTED),
    "image": Method("image, δ = 0", PURPLE, "s", DASHED),
    "image_delta": Method("image, δ > 0", GREEN, "P", LONG),
}
