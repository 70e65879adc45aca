//! The phrases of customers, by the hundred.

use super::*;
use Reading::{Help, Nothing, Pause, Start, Stop};

fn lines(file: &'static str) -> Vec<&'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

#[test]
fn probe() {
    for name in std::env::var("PROBE").unwrap_or_default().split_whitespace() {
        let text = std::fs::read_to_string(name).unwrap();
        let expect_out = name.rsplit('/').next().unwrap().contains("opt");
        let (mut n, mut stop, mut pause, mut nothing) = (0, 0, 0, 0);
        for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
            n += 1;
            let r = read(line);
            match r.reading {
                Stop => stop += 1,
                Pause => pause += 1,
                _ => nothing += 1,
            }
            let out = matches!(r.reading, Stop | Pause);
            if out != expect_out || r.reading == Start || r.reading == Help {
                println!("  {:?} <- {line}   [{}]", r.reading, r.matched.unwrap_or_default());
            }
        }
        println!("{name}: n={n} stop={stop} pause={pause} nothing={nothing}");
    }
}
