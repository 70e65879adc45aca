//! Log lines of bounded length. A longer one is shortened where it is written, so that no statement, address or answer of
//! a provider fills the log or breaks a collector that takes lines of 8 kB.

use std::io;

use serde_json::{Value, json};
use tracing_subscriber::fmt::MakeWriter;

/// In bytes, with the line's end.
const MAX_LINE: usize = 8_000;
/// Lengths to which texts of a JSON line are shortened, in bytes, until the line fits.
const TEXT_LIMITS: [usize; 4] = [4_000, 1_000, 200, 20];
/// Fields that a JSON line keeps when shortening its texts was not enough.
const KEPT_FIELDS: [&str; 3] = ["timestamp", "level", "target"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

/// Makes writers of lines that are no longer than `MAX_LINE`.
#[derive(Clone, Copy, Debug)]
pub struct LineLimit<M> {
    to: M,
    format: LogFormat,
}

impl<M> LineLimit<M> {
    #[must_use]
    pub fn for_format(to: M, format: LogFormat) -> Self {
        Self { to, format }
    }
}

impl<'a, M: MakeWriter<'a>> MakeWriter<'a> for LineLimit<M> {
    type Writer = LimitedLine<M::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        LimitedLine { to: self.to.make_writer(), format: self.format }
    }
}

/// Takes one line by each call of `write`, as the subscriber hands them over.
#[derive(Debug)]
pub struct LimitedLine<W> {
    to: W,
    format: LogFormat,
}

impl<W: io::Write> io::Write for LimitedLine<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if line.len() <= MAX_LINE {
            self.to.write_all(line)?;
        } else {
            let text = String::from_utf8_lossy(line);
            let shortened = match self.format {
                LogFormat::Text => shorten_text(text.trim_end(), MAX_LINE - 1),
                LogFormat::Json => shorten_json(&text),
            };
            self.to.write_all(format!("{shortened}\n").as_bytes())?;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// At most `limit` bytes, of which the last say how many are missing.
fn shorten_text(text: &str, limit: usize) -> String {
    /// Room for the mark.
    const MARK: usize = 40;
    if text.len() <= limit {
        return text.to_owned();
    }
    let (kept, _) = text.split_at(text.floor_char_boundary(limit.saturating_sub(MARK)));
    format!("{kept}… [{} bytes left out]", text.len() - kept.len())
}

fn shorten_json(line: &str) -> String {
    let Ok(read) = serde_json::from_str::<Value>(line) else {
        return json!({ "message": shorten_text(line.trim_end(), MAX_LINE / 8) }).to_string();
    };
    let mut shortened = TEXT_LIMITS.iter().map(|limit| shorten_texts(&read, *limit).to_string());
    shortened.find(|line| line.len() < MAX_LINE).unwrap_or_else(|| {
        let kept = KEPT_FIELDS.iter().filter_map(|name| Some(((*name).to_owned(), read.get(*name)?.clone())));
        let mut kept: serde_json::Map<String, Value> = kept.collect();
        kept.insert("message".to_owned(), format!("a line of {} bytes was left out", line.len()).into());
        Value::Object(kept).to_string()
    })
}

fn shorten_texts(value: &Value, limit: usize) -> Value {
    match value {
        Value::String(text) => shorten_text(text, limit).into(),
        Value::Array(items) => items.iter().map(|item| shorten_texts(item, limit)).collect(),
        Value::Object(fields) => {
            let shortened = fields.iter().map(|(name, value)| (name.clone(), shorten_texts(value, limit)));
            Value::Object(shortened.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What a log of this format says of a text in a field and of one in the message.
    fn logged(format: LogFormat, text: &str) -> Vec<String> {
        let lines = Lines::default();
        let to = lines.clone();
        let log = tracing_subscriber::fmt().with_ansi(false);
        let log = log.with_writer(LineLimit::for_format(move || to.clone(), format));
        let events = || {
            tracing::warn!(db.statement = text, rows = 7, "slow statement");
            tracing::error!("failed: {text}");
            tracing::info!("short");
        };
        match format {
            LogFormat::Text => tracing::subscriber::with_default(log.finish(), events),
            LogFormat::Json => tracing::subscriber::with_default(log.json().finish(), events),
        }
        let output = String::from_utf8(lines.0.lock().unwrap().clone()).expect("no letter is cut in two");
        output.lines().map(ToOwned::to_owned).collect()
    }

    #[test]
    fn long_text_line_is_cut_between_letters_and_says_so() {
        for letter in ["x", "é", "🔧"] {
            let lines = logged(LogFormat::Text, &letter.repeat(40_000));
            assert_eq!(lines.len(), 3);
            assert!(lines.iter().all(|line| line.len() < MAX_LINE), "{letter}");
            assert!(lines[0].contains("slow statement") && lines[0].ends_with("bytes left out]"), "{}", lines[0]);
            assert!(lines[1].contains("failed: ") && lines[1].ends_with("bytes left out]"), "{}", lines[1]);
            assert!(lines[2].ends_with("short"), "{}", lines[2]);
        }
    }

    #[test]
    fn long_json_line_stays_json_with_all_its_fields() {
        // Quotes and control characters take more bytes in JSON than in memory.
        for letter in ["x", "\"", "\u{1}", "🔧"] {
            let lines = logged(LogFormat::Json, &letter.repeat(40_000));
            assert_eq!(lines.len(), 3);
            assert!(lines.iter().all(|line| line.len() < MAX_LINE), "{letter}");
            let first: Value = serde_json::from_str(&lines[0]).expect("JSON");
            assert_eq!((&first["level"], &first["fields"]["rows"]), (&json!("WARN"), &json!(7)), "{first}");
            let statement = first["fields"]["db.statement"].as_str().expect("a text");
            assert!(statement.starts_with(letter) && statement.ends_with("bytes left out]"), "{statement}");
            let second: Value = serde_json::from_str(&lines[1]).expect("JSON");
            assert!(
                second["fields"]["message"].as_str().is_some_and(|message| message.starts_with("failed: ")),
                "{second}"
            );
        }
    }

    #[test]
    fn json_line_of_too_many_fields_keeps_time_level_and_target() {
        let fields: Vec<Value> = (0..4_000).map(|n| json!({ "n": n })).collect();
        let line = json!({ "timestamp": "now", "level": "INFO", "target": "api", "fields": fields }).to_string();
        let shortened: Value = serde_json::from_str(&shorten_json(&line)).expect("JSON");
        assert_eq!((&shortened["timestamp"], &shortened["target"]), (&json!("now"), &json!("api")), "{shortened}");
        assert!(shortened["message"].as_str().is_some_and(|message| message.contains("left out")), "{shortened}");
    }
}
