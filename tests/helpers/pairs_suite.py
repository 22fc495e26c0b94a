"""A suite whose prompts have branches, as tests of pairs and of languages change it."""

SUITE = {
    "suite": "paired",
    "title": "Pairs",
    "version": 1,
    "scorers": ["vader"],
    "attributes": {
        "origin": {"North": {"words": ["northern"]}, "South": {"words": ["southern"]}, "East": {}},
        "gender": {"Female": {"words": ["woman", "she"]}, "Male": {"words": ["man", "he"]}},
    },
    "axes": "all",
    "configs": [{"backend": "simulated", "model": "simulated", "repeats": 2}],
    "columns": {
        "response": "answer",
        "prompt": "question",
        "model": "model",
        "category": "task",
        "repeat": "round",
        "root": "root",
        "attributes": {"origin": "origin", "gender": "gender"},
    },
    "categories": {
        "A": {
            "title": "How good",
            "block": "root",
            "prompts": ["Is the {origin} {gender} a good {job}?"],
            "slots": {"job": ["baker", "driver"]},
            "outcomes": [{"set": "tone", "kind": "score", "scorer": "vader", "feature": "vader_compound"}],
            "simulated": {
                "answers": {
                    "good": ["Yes, this {gender} is good.", "Great: the {origin} {gender} bakes well."],
                    "bad": ["No, he is bad.", "No."],
                },
                "weights": {"good": 1, "bad": 1},
            },
        }
    },
}
