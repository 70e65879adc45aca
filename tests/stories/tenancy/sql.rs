//! The check of one SQL text: each tenant's table that a query names must have its `org_id` compared in that query.
//!
//! Counted are, in each query (subqueries in brackets separately), the tenants' tables and the comparisons of an
//! `org_id`. A joined table that is bound only by its id is found, too.

use std::collections::BTreeSet;

/// A text as nested parts: round brackets make a part of their own.
#[derive(Clone, Debug)]
enum Piece {
    Word(String),
    Bracket(Vec<Piece>),
}

/// A query with tables that lack a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnboundStatement {
    pub tables: Vec<String>,
    pub ties: usize,
    pub query: String,
}

/// The tokens of a text: names, numbers, quoted text, and signs one by one.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut word = String::from(c);
        if c == '\'' || c == '"' {
            for quoted in rest.by_ref() {
                word.push(quoted);
                if quoted == c {
                    break;
                }
            }
        } else if c.is_alphanumeric() || c == '_' || c == '$' {
            while let Some(next) = rest.next_if(|next| next.is_alphanumeric() || *next == '_') {
                word.push(next);
            }
        }
        words.push(word);
    }
    words
}

/// The parts up to the closing bracket, or to the end.
fn pieces(words: &mut impl Iterator<Item = String>) -> Vec<Piece> {
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "(" => found.push(Piece::Bracket(pieces(words))),
            ")" => break,
            _ => found.push(Piece::Word(word)),
        }
    }
    found
}

fn is(piece: Option<&Piece>, wanted: &[&str]) -> bool {
    matches!(piece, Some(Piece::Word(word)) if wanted.iter().any(|one| word.eq_ignore_ascii_case(one)))
}

fn is_query(pieces: &[Piece]) -> bool {
    is(pieces.first(), &["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"])
}

/// The query's own tokens with placeholders for other brackets, and the subqueries.
fn flat<'a>(pieces: &'a [Piece], own: &mut Vec<&'a str>, within: &mut Vec<&'a [Piece]>) {
    for piece in pieces {
        match piece {
            Piece::Word(word) => own.push(word),
            Piece::Bracket(inner) if is_query(inner) => {
                own.push("(query)");
                within.push(inner);
            }
            Piece::Bracket(inner) => {
                own.push("(");
                flat(inner, own, within);
                own.push(")");
            }
        }
    }
}

/// The words that end a list of tables.
const OVER: [&str; 11] =
    ["WHERE", "SET", "GROUP", "ORDER", "LIMIT", "UNION", "RETURNING", "HAVING", "VALUES", "SELECT", "DO"];

/// The tables of a query, each with its alias.
fn tables<'a>(own: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let (mut found, mut in_list, mut depth, mut opened) = (Vec::new(), false, 0_usize, 0_usize);
    for (at, word) in own.iter().enumerate() {
        let word = word.to_ascii_uppercase();
        let before = at.checked_sub(1).and_then(|at| own.get(at)).copied().unwrap_or_default();
        match word.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ if OVER.contains(&word.as_str()) && depth <= opened => in_list = false,
            _ => {}
        }
        // `IS DISTINCT FROM`, `EXTRACT(… FROM …)`, `DO UPDATE` and `FOR UPDATE` name no table.
        let begins = match word.as_str() {
            "FROM" => !before.eq_ignore_ascii_case("DISTINCT"),
            "JOIN" | "INTO" => true,
            "UPDATE" => !["DO", "FOR"].iter().any(|one| before.eq_ignore_ascii_case(one)),
            "," => in_list && depth == opened,
            _ => false,
        };
        let Some(table) = own.get(at + 1).filter(|_| begins) else { continue };
        (in_list, opened) = (word == "FROM" || (in_list && word != "INTO" && word != "UPDATE"), depth);
        let mut next = own.iter().skip(at + 2);
        let alias = match next.next() {
            Some(word) if word.eq_ignore_ascii_case("AS") => next.next().copied(),
            other => other.copied(),
        };
        let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit());
        found.push((*table, alias.filter(is_name).unwrap_or(*table)));
    }
    found
}

fn compares(own: &[&str], at: usize) -> bool {
    own.get(at).is_some_and(|word| *word == "=" || word.eq_ignore_ascii_case("IN"))
}

/// The sign of the comparison with this word as one side: `x.org_id = …`, `… = x.org_id`, `(org_id, id) IN …`.
fn tie(own: &[&str], at: usize) -> Option<usize> {
    let name = if at >= 2 && own[at - 1] == "." { at - 2 } else { at };
    let after = at + 1;
    if compares(own, after) {
        return Some(after).filter(|sign| !is_assigned(own, *sign));
    }
    let before = name.checked_sub(1)?;
    match own[before] {
        "=" => Some(before).filter(|sign| !is_assigned(own, *sign)),
        "(" => {
            let closes = own.iter().skip(at).position(|word| *word == ")").map(|ahead| at + ahead + 1);
            closes.filter(|sign| compares(own, *sign))
        }
        _ => None,
    }
}

/// Whether the sign is an assignment in the list of `SET`.
fn is_assigned(own: &[&str], at: usize) -> bool {
    let parts = ["SET", "WHERE", "ON", "FROM", "WHEN", "AND"];
    let last = own[..at].iter().rev().find(|word| parts.iter().any(|part| word.eq_ignore_ascii_case(part)));
    last.is_some_and(|word| word.eq_ignore_ascii_case("SET"))
}

/// The number of comparisons by which a query filters its tables by business.
fn ties(own: &[&str], named: &[(&str, &str)]) -> usize {
    let businesses: Vec<&str> = named.iter().filter(|(table, _)| *table == "org").map(|(_, alias)| *alias).collect();
    let is_whose = |at: usize| {
        own[at] == "org_id" || (own[at] == "id" && at >= 2 && own[at - 1] == "." && businesses.contains(&own[at - 2]))
    };
    // A comparison of two such columns counts once, by its sign.
    let signs: BTreeSet<usize> = (0..own.len()).filter(|at| is_whose(*at)).filter_map(|at| tie(own, at)).collect();
    let mut ties = signs.len();
    // An insert names the business in its list of columns.
    for (at, _) in own.iter().enumerate().filter(|(_, word)| word.eq_ignore_ascii_case("INTO")) {
        let mut columns = own.iter().skip(at + 1).skip_while(|word| **word != "(").take_while(|word| **word != ")");
        ties += usize::from(columns.any(|column| *column == "org_id"));
    }
    ties
}

/// Every table that a text names, as often as it does.
pub fn named_tables(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect_tables(&pieces(&mut words(text).into_iter()), &mut found);
    found
}

fn collect_tables(query: &[Piece], found: &mut Vec<String>) {
    let (mut own, mut within) = (Vec::new(), Vec::new());
    flat(query, &mut own, &mut within);
    found.extend(tables(&own).into_iter().map(|(table, _)| table.to_owned()));
    for inner in within {
        collect_tables(inner, found);
    }
}

/// The queries of a text that lack a filter; `of_businesses` are the tenants' tables.
pub fn loose(text: &str, of_businesses: &BTreeSet<String>) -> Vec<UnboundStatement> {
    let all = pieces(&mut words(text).into_iter());
    let mut found = Vec::new();
    look(&all, of_businesses, &mut found);
    found
}

fn look(query: &[Piece], of_businesses: &BTreeSet<String>, found: &mut Vec<UnboundStatement>) {
    let (mut own, mut within) = (Vec::new(), Vec::new());
    flat(query, &mut own, &mut within);
    // Each side of a union is a query of its own.
    for side in own.split(|word| word.eq_ignore_ascii_case("UNION")) {
        judge(side, of_businesses, found);
    }
    for inner in within {
        look(inner, of_businesses, found);
    }
}

/// Records a query that names more tenants' tables than it has filters.
fn judge(own: &[&str], of_businesses: &BTreeSet<String>, found: &mut Vec<UnboundStatement>) {
    let named = tables(own);
    let theirs: Vec<String> = named
        .iter()
        .filter(|(table, _)| of_businesses.contains(*table))
        .map(|(table, _)| (*table).to_owned())
        .collect();
    // The table of businesses, when joined, needs a filter as well.
    let joined = named.iter().filter(|(table, _)| *table == "org").count();
    let ties = ties(own, &named);
    if !theirs.is_empty() && ties < theirs.len() + joined {
        found.push(UnboundStatement { tables: theirs, ties, query: own.join(" ").chars().take(200).collect() });
    }
}

#[test]
fn query_without_tenant_condition_is_found() {
    let tables = ["lead", "message", "account"].map(ToOwned::to_owned).into();
    let count = |text: &str| loose(text, &tables).len();
    for kept in [
        "SELECT id FROM lead WHERE org_id = $1 AND id = $2",
        "SELECT l.id FROM lead l JOIN message m ON m.org_id = l.org_id AND m.lead_id = l.id WHERE l.org_id = $1",
        "SELECT l.id FROM lead l, message m WHERE m.org_id = $1 AND l.org_id = m.org_id",
        "SELECT 1 FROM lead WHERE (org_id, id) IN (SELECT org_id, lead_id FROM message WHERE org_id = $1)",
        "INSERT INTO lead (org_id, id) VALUES ($1, $2) ON CONFLICT (org_id, id) DO UPDATE SET name = excluded.name",
        "UPDATE lead SET name = $3 WHERE org_id = $1 AND id = $2",
        "DELETE FROM lead WHERE id = $2 AND org_id = $1",
        "SELECT o.name FROM org o JOIN lead l ON l.org_id = o.id WHERE o.id = $1",
        "SELECT id FROM org WHERE slug = $1",
        "WITH mine AS (SELECT id FROM lead WHERE org_id = $1) SELECT id FROM mine",
        "SELECT id FROM lead WHERE org_id = $1 UNION SELECT id FROM org WHERE id = $1",
    ] {
        assert_eq!(count(kept), 0, "{kept}: {:?}", loose(kept, &tables));
    }
    for lost in [
        "SELECT id, org_id FROM lead WHERE id = $2",
        "SELECT l.id FROM lead l JOIN message m ON m.lead_id = l.id WHERE l.org_id = $1",
        "SELECT l.id FROM lead l, message m WHERE l.org_id = $1 AND m.lead_id = l.id",
        "SELECT id FROM lead WHERE org_id = $1 AND EXISTS (SELECT 1 FROM message WHERE lead_id = lead.id)",
        "SELECT id FROM lead WHERE id IN (SELECT lead_id FROM message)  AND org_id = $1",
        "SELECT id FROM lead WHERE org_id <> $1",
        "INSERT INTO lead (id) VALUES ($1)",
        "INSERT INTO lead (org_id, id) SELECT m.org_id, m.id FROM message m",
        "UPDATE lead SET org_id = $1 WHERE id = $2",
        "DELETE FROM lead WHERE created_at < $1",
        "SELECT o.name FROM org o JOIN lead l ON l.org_id = o.id WHERE l.id = $1",
        "WITH mine AS (SELECT id FROM lead) SELECT id FROM mine",
        "SELECT id FROM lead WHERE org_id = $1 AND org_id = $1 UNION SELECT id FROM message",
    ] {
        assert_eq!(count(lost), 1, "{lost}");
    }
}

#[test]
fn tables_of_joins_lists_and_subqueries_are_named() {
    for (text, tables) in [
        ("SELECT l.id FROM lead l, message m JOIN job j ON j.lead_id = l.id", vec!["lead", "message", "job"]),
        ("INSERT INTO lead (id) SELECT id FROM photo WHERE EXISTS (SELECT 1 FROM call)", vec!["lead", "photo", "call"]),
        ("UPDATE lead SET name = $1 WHERE id IN (SELECT lead_id FROM job FOR UPDATE)", vec!["lead", "job"]),
    ] {
        assert_eq!(named_tables(text), tables, "{text}");
    }
}
