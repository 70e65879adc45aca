//! A message cut into words and the breaks between them, as the reading of promises wants them.

/// What stands between two breaks of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Word,
    /// A comma, a colon, a bracket: another clause begins.
    Weak,
    /// Another sentence begins.
    Strong,
}

/// A word in small letters, or a break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub text: String,
    pub sort: Sort,
    /// Where it stands in the message, in bytes.
    pub from: usize,
    pub to: usize,
    /// A hyphen stands before it: `1-2`, `twenty-four`.
    pub is_joined: bool,
}

impl Token {
    /// Whether it is one of these words, which stand beside each other.
    pub fn is(&self, words: &str) -> bool {
        self.sort == Sort::Word && one_of(&self.text, words)
    }
}

/// Whether a word is one of those that stand beside each other in `words`.
pub(super) fn one_of(word: &str, words: &str) -> bool {
    !word.is_empty() && words.split(' ').any(|one| one == word)
}

/// Stands for an address: nothing is read out of it.
const ADDRESS: &str = "@";

/// Cuts a message.
pub(super) fn cut(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if c.is_whitespace() {
            chunk(text, from..at, &mut tokens);
            if c == '\n' {
                tokens.push(mark(at, '\n', Sort::Strong));
            }
            from = at + c.len_utf8();
        }
    }
    tokens
}

/// What stands between two blanks.
fn chunk(text: &str, at: std::ops::Range<usize>, tokens: &mut Vec<Token>) {
    let said = &text[at.clone()];
    if said.contains("://") || said.contains('@') || said.starts_with("www.") {
        tokens.push(Token { text: ADDRESS.to_owned(), sort: Sort::Word, from: at.start, to: at.end, is_joined: false });
        return;
    }
    // Most are a word and nothing else.
    if !said.is_empty() && said.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        let text = said.to_ascii_lowercase();
        tokens.push(Token { text, sort: Sort::Word, from: at.start, to: at.end, is_joined: false });
        return;
    }
    let chars: Vec<(usize, char)> = said.char_indices().map(|(n, c)| (at.start + n, plain(c))).collect();
    let mut is_joined = false;
    let mut n = 0;
    while let Some(&(begin, c)) = chars.get(n) {
        let length = run(&chars[n..]);
        if length > 0 {
            let word: String = chars[n..n + length].iter().flat_map(|(_, c)| c.to_lowercase()).collect();
            let to = chars.get(n + length).map_or(at.end, |(to, _)| *to);
            tokens.push(Token { text: word, sort: Sort::Word, from: begin, to, is_joined });
            is_joined = false;
            n += length;
            continue;
        }
        is_joined = c == '-' && n > 0;
        let is_last = n + 1 == chars.len();
        let breaks = match c {
            '!' | '?' | '¡' | '¿' => Some(Sort::Strong),
            '.' if is_last => Some(after_dot(&text[at.end..])),
            ',' | ';' | ':' | '(' | ')' | '—' | '–' => Some(Sort::Weak),
            _ => None,
        };
        tokens.extend(breaks.map(|sort| mark(begin, c, sort)));
        n += 1;
    }
}

/// "2 hrs. or less": what goes on in small letters is one sentence.
fn after_dot(rest: &str) -> Sort {
    if rest.trim_start().starts_with(char::is_lowercase) { Sort::Weak } else { Sort::Strong }
}

/// How many characters make up the number or the word at the beginning.
fn run(chars: &[(usize, char)]) -> usize {
    let get = |n: usize| chars.get(n).map(|(_, c)| *c);
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let Some(first) = get(0) else { return 0 };
    if first == '½' {
        return 1;
    }
    let mut length = 0;
    if first.is_ascii_digit() {
        while is_digit(get(length)) || (matches!(get(length), Some('.' | '/')) && is_digit(get(length + 1))) {
            length += 1;
        }
        return length;
    }
    let inside = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    while inside(get(length)) || (length > 0 && get(length) == Some('\'') && inside(get(length + 1))) {
        length += 1;
    }
    length
}

/// As typed on a plain keyboard.
fn plain(c: char) -> char {
    match c {
        '’' | '‘' | '´' => '\'',
        '‑' | '‐' => '-',
        _ => c,
    }
}

fn mark(at: usize, c: char, sort: Sort) -> Token {
    Token { text: c.to_string(), sort, from: at, to: at + c.len_utf8(), is_joined: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_breaks_are_told_apart() {
        let said = |text: &str| cut(text).into_iter().map(|token| token.text).collect::<Vec<_>>().join(" ");
        assert_eq!(said("We’ll reply in 24hrs."), "we'll reply in 24 hrs .");
        assert_eq!(said("1-2 hours, 1.5 h (24/7)"), "1 2 hours , 1.5 h ( 24/7 )");
        assert_eq!(said("See https://a.example/within-1-hour or a@within-1-hour.example"), "see @ or @");
        let joined: Vec<bool> = cut("twenty-four 1-2").iter().map(|token| token.is_joined).collect();
        assert_eq!(joined, [false, true, false, true]);
    }

    #[test]
    fn a_dot_ends_a_sentence_only_where_another_begins() {
        let sorts = |text: &str| cut(text).into_iter().filter(|t| t.text == ".").map(|t| t.sort).collect::<Vec<_>>();
        assert_eq!(sorts("In 2 hrs. or less. Thanks."), [Sort::Weak, Sort::Strong, Sort::Strong]);
    }
}
