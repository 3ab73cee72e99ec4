"""Short texts cut out of the lines of a language."""

# Characters that count as a word where there are no spaces.
UNSPACED = {"zh-Hans": 2, "zh-Hant": 2, "ja": 2, "th": 5, "lo": 5, "km": 5, "my": 5}


def lines_of(folder, language, kind="texts"):
    path = folder / f"{language}.{kind}.txt"
    return path.read_text("utf-8").split("\n")[:-1] if path.exists() else []


def span(lines, rng, count, language):
    """So many words in a row, of lines that follow each other if one is too short."""
    line = lines[rng.randrange(len(lines))]
    if language in UNSPACED:
        need = count * UNSPACED[language]
        while len(line) < need:
            line += " " + lines[rng.randrange(len(lines))]
        begin = rng.randrange(len(line) - need + 1)
        return line[begin:begin + need].strip()
    words = line.split()
    while len(words) < count:
        words += lines[rng.randrange(len(lines))].split()
    begin = rng.randrange(len(words) - count + 1)
    return " ".join(words[begin:begin + count])
