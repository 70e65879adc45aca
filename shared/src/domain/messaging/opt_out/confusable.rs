//! Look-alike letters, letters inside marks, and the plain letters that a reader sees.

/// None leaves `c` as it is.
pub(super) fn plain_letters(c: char) -> Option<&'static str> {
    LOOK_ALIKES.iter().find(|(_, like)| like.contains(c)).map(|(plain, _)| *plain)
}

/// Cyrillic, Greek, Armenian, Cherokee, Lisu and Coptic letters and small capitals, by the Latin letter they look like
/// (Unicode TR 39, confusables).
const LOOK_ALIKES: &[(&str, &str)] = &[
    ("a", "аАαΑᴀ"),
    ("b", "вВβΒʙЬь"),
    ("c", "сСϲᴄ"),
    ("d", "ԁᴅ"),
    ("e", "еЕεΕᴇєЄ"),
    ("g", "ɡԌɢ"),
    ("h", "һНΗʜ"),
    ("i", "іІιΙɪıӏ"),
    ("j", "јЈ"),
    ("k", "кКκΚᴋ"),
    ("l", "ʟłŁ"),
    ("m", "мМΜᴍ"),
    ("n", "пηΝɴո"),
    ("o", "оОοΟσᴏօØøⲞⲟꓳ०০"),
    ("p", "рРρΡᴘⲢꓑᏢ"),
    ("q", "ԛ"),
    ("r", "гʀᴦ"),
    ("s", "ѕЅꜱՏꓢᏚςΣ"),
    ("t", "тТτΤᴛⲦꓔᎢ"),
    ("u", "υᴜսц"),
    ("v", "νѵᴠ"),
    ("w", "ԝᴡшѡ"),
    ("x", "хХχΧ"),
    ("y", "уУγΥʏ"),
    ("z", "ᴢΖ"),
    ("ss", "ß"),
];

/// Letters inside circles, squares and flags that no compatibility form resolves.
pub(super) fn enclosed_letter(c: char) -> Option<char> {
    let code = u32::from(c);
    let from = [0x1_F150, 0x1_F170, 0x1_F1E6].into_iter().find(|from| (*from..from + 26).contains(&code))?;
    char::from_u32(u32::from('a') + code - from)
}

/// Removes tags (`<b>`) and resolves character references (`&nbsp;`, `&#84;`).
pub(super) fn strip_markup(body: &str) -> String {
    let mut plain = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find(['<', '&']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken =
            if rest.starts_with('<') { tag_len(rest).map(|length| (length, ' ')) } else { parse_char_reference(rest) };
        let Some((length, c)) = taken else {
            plain.push_str(&rest[..1]);
            rest = &rest[1..];
            continue;
        };
        // A tag inside a word does not split it: "ST<b>OP</b>".
        if c != ' ' || !rest.starts_with('<') || is_line_break_tag(&rest[..length]) {
            plain.push(c);
        }
        rest = &rest[length..];
    }
    plain.push_str(rest);
    plain
}

fn tag_len(text: &str) -> Option<usize> {
    let end = text.bytes().take(60).position(|byte| byte == b'>')?;
    let name = text[1..end].trim_start_matches('/');
    let is_one = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains('<') && !name.contains('\n');
    // "<STOP>" is a word in brackets.
    let is_word = name.bytes().take_while(u8::is_ascii_alphabetic).count() > 6
        || name.eq_ignore_ascii_case("stop")
        || name.eq_ignore_ascii_case("end");
    (is_one && !is_word).then_some(end + 1)
}

fn is_line_break_tag(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']).to_ascii_lowercase();
    ["br", "p>", "p ", "div", "li", "h1", "h2", "tr", "td"].iter().any(|block| name.starts_with(block))
}

fn parse_char_reference(text: &str) -> Option<(usize, char)> {
    let end = text.bytes().take(10).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let number = match name.strip_prefix('#') {
        Some(hex) if hex.starts_with(['x', 'X']) => u32::from_str_radix(&hex[1..], 16).ok(),
        Some(decimal) => decimal.parse().ok(),
        None => None,
    };
    let c = match name {
        "nbsp" | "lt" | "gt" | "quot" => Some(' '),
        "amp" => Some('&'),
        "apos" | "rsquo" => Some('\''),
        "shy" | "zwnj" | "zwj" => Some('\u{200b}'),
        _ => number.and_then(char::from_u32),
    };
    c.map(|c| (end + 1, c))
}
