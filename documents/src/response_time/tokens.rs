//! Tokenizer for the detection of promises: words and breaks.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    /// Comma, colon or bracket: a new clause.
    Weak,
    /// A new sentence.
    Strong,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MessageToken {
    pub text: String,
    pub sort: TokenKind,
    pub from: usize,
    pub to: usize,
    /// Preceded by a hyphen: `1-2`, `twenty-four`.
    pub is_joined: bool,
}

impl MessageToken {
    pub fn is_one_of(&self, words: &str) -> bool {
        self.sort == TokenKind::Word && word_in_list(&self.text, words)
    }
}

/// `words` is a blank-separated list.
pub(super) fn word_in_list(word: &str, words: &str) -> bool {
    !word.is_empty() && words.split(' ').any(|one| one == word)
}

const ADDRESS: &str = "@";

pub(super) fn tokenize_message(text: &str) -> Vec<MessageToken> {
    let mut tokens = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if c.is_whitespace() {
            tokenize_chunk(text, from..at, &mut tokens);
            if c == '\n' {
                tokens.push(break_token(at, '\n', TokenKind::Strong));
            }
            from = at + c.len_utf8();
        }
    }
    tokens
}

/// Tokens of the text between two blanks.
fn tokenize_chunk(text: &str, at: std::ops::Range<usize>, tokens: &mut Vec<MessageToken>) {
    let source = &text[at.clone()];
    if source.contains("://") || source.contains('@') || source.starts_with("www.") {
        tokens.push(MessageToken {
            text: ADDRESS.to_owned(),
            sort: TokenKind::Word,
            from: at.start,
            to: at.end,
            is_joined: false,
        });
        return;
    }
    // Fast path for plain words.
    if !source.is_empty() && source.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        let text = source.to_ascii_lowercase();
        tokens.push(MessageToken { text, sort: TokenKind::Word, from: at.start, to: at.end, is_joined: false });
        return;
    }
    let chars: Vec<(usize, char)> = source.char_indices().map(|(n, c)| (at.start + n, to_plain_char(c))).collect();
    let mut is_joined = false;
    let mut n = 0;
    while let Some(&(begin, c)) = chars.get(n) {
        let length = run_length(&chars[n..]);
        if length > 0 {
            let word: String = chars[n..n + length].iter().flat_map(|(_, c)| c.to_lowercase()).collect();
            let to = chars.get(n + length).map_or(at.end, |(to, _)| *to);
            tokens.push(MessageToken { text: word, sort: TokenKind::Word, from: begin, to, is_joined });
            is_joined = false;
            n += length;
            continue;
        }
        is_joined = c == '-' && n > 0;
        let is_last = n + 1 == chars.len();
        let breaks = match c {
            '!' | '?' | '¡' | '¿' => Some(TokenKind::Strong),
            '.' if is_last => Some(kind_of_dot(&text[at.end..])),
            ',' | ';' | ':' | '(' | ')' | '—' | '–' => Some(TokenKind::Weak),
            _ => None,
        };
        tokens.extend(breaks.map(|sort| break_token(begin, c, sort)));
        n += 1;
    }
}

/// "2 hrs. or less": a dot before a lower-case letter does not end the sentence.
fn kind_of_dot(rest: &str) -> TokenKind {
    if rest.trim_start().starts_with(char::is_lowercase) { TokenKind::Weak } else { TokenKind::Strong }
}

fn run_length(chars: &[(usize, char)]) -> usize {
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

fn to_plain_char(c: char) -> char {
    match c {
        '’' | '‘' | '´' => '\'',
        '‑' | '‐' => '-',
        _ => c,
    }
}

fn break_token(at: usize, c: char, sort: TokenKind) -> MessageToken {
    MessageToken { text: c.to_string(), sort, from: at, to: at + c.len_utf8(), is_joined: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_breaks_are_separate_tokens() {
        let words =
            |text: &str| tokenize_message(text).into_iter().map(|token| token.text).collect::<Vec<_>>().join(" ");
        assert_eq!(words("We’ll reply in 24hrs."), "we'll reply in 24 hrs .");
        assert_eq!(words("1-2 hours, 1.5 h (24/7)"), "1 2 hours , 1.5 h ( 24/7 )");
        assert_eq!(words("See https://a.example/within-1-hour or a@within-1-hour.example"), "see @ or @");
        let joined: Vec<bool> = tokenize_message("twenty-four 1-2").iter().map(|token| token.is_joined).collect();
        assert_eq!(joined, [false, true, false, true]);
    }

    #[test]
    fn dot_ends_sentence_unless_sentence_continues() {
        let sorts = |text: &str| {
            tokenize_message(text).into_iter().filter(|t| t.text == ".").map(|t| t.sort).collect::<Vec<_>>()
        };
        assert_eq!(sorts("In 2 hrs. or less. Thanks."), [TokenKind::Weak, TokenKind::Strong, TokenKind::Strong]);
    }
}
