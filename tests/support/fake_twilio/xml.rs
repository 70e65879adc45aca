//! Parser of the product's `TwiML`, as strict as Twilio: malformed input is an error.

/// One element: `<Dial timeout="20">…</Dial>`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Node>,
    pub text: String,
}

impl Node {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The error says what is malformed.
pub fn read(xml: &str) -> Result<Node, String> {
    let mut reader = Reader { rest: xml.trim_start_matches('\u{feff}') };
    if let Some(rest) = reader.rest.strip_prefix("<?xml") {
        reader.rest = rest.split_once("?>").ok_or("the declaration does not end")?.1;
    }
    reader.skip_space();
    let node = reader.node()?;
    reader.skip_space();
    if reader.rest.is_empty() { Ok(node) } else { Err(format!("something follows the document: {}", reader.rest)) }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn node(&mut self) -> Result<Node, String> {
        self.expect("<")?;
        let mut node = Node { name: self.name()?, ..Node::default() };
        loop {
            self.skip_space();
            if self.take("/>") {
                return Ok(node);
            }
            if self.take(">") {
                break;
            }
            let attribute = self.attribute()?;
            if node.attribute(&attribute.0).is_some() {
                return Err(format!("{} appears twice in {}", attribute.0, node.name));
            }
            node.attributes.push(attribute);
        }
        self.inside(&mut node)?;
        Ok(node)
    }

    fn inside(&mut self, node: &mut Node) -> Result<(), String> {
        loop {
            let next = self.rest.find('<').ok_or_else(|| format!("{} does not end", node.name))?;
            let (text, rest) = self.rest.split_at(next);
            node.text.push_str(&plain(text)?);
            self.rest = rest;
            if self.take("</") {
                if self.name()? != node.name {
                    return Err(format!("{} is closed by another", node.name));
                }
                self.skip_space();
                return self.expect(">");
            }
            node.children.push(self.node()?);
        }
    }

    fn attribute(&mut self) -> Result<(String, String), String> {
        let name = self.name()?;
        self.expect("=")?;
        let quote = if self.take("\"") {
            '"'
        } else {
            self.expect("'")?;
            '\''
        };
        let (value, rest) = self.rest.split_once(quote).ok_or("an attribute does not end")?;
        self.rest = rest;
        if value.contains('<') {
            return Err(format!("a bare < in {name}"));
        }
        Ok((name, plain(value)?))
    }

    fn name(&mut self) -> Result<String, String> {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c)));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            Ok(name.to_owned())
        } else {
            Err(format!("a name is missing before {rest:?}"))
        }
    }

    fn expect(&mut self, mark: &str) -> Result<(), String> {
        if self.take(mark) { Ok(()) } else { Err(format!("{mark} is missing before {:?}", self.rest)) }
    }

    fn take(&mut self, mark: &str) -> bool {
        let rest: Option<&'a str> = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }
}

fn plain(text: &str) -> Result<String, String> {
    if let Some(bad) = text.chars().find(|c| (*c < ' ' && !"\t\r\n".contains(*c)) || "\u{fffe}\u{ffff}".contains(*c)) {
        return Err(format!("a character that XML does not know: {bad:?}"));
    }
    let mut parts = text.split('&');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(';').ok_or_else(|| format!("a bare & before {part:?}"))?;
        let number = name.strip_prefix('#').and_then(|n| match n.strip_prefix('x') {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => n.parse().ok(),
        });
        let known = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => number.and_then(char::from_u32),
        };
        plain.push(known.ok_or_else(|| format!("&{name}; means nothing"))?);
        plain.push_str(rest);
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twilio_package_output_is_parsed() {
        let file = include_str!("../../../providers/src/twiml/vectors.json");
        let file: serde_json::Value = serde_json::from_str(file).expect("the vectors");
        let document = |name: &str| read(file["documents"][name].as_str().expect("a document")).expect(name);
        for name in file["documents"].as_object().expect("documents").keys() {
            assert_eq!(document(name).name, "Response");
        }
        let [gather, hangup] = &document("screen").children[..] else { panic!() };
        assert_eq!(
            (gather.name.as_str(), gather.attribute("timeout"), hangup.name.as_str()),
            ("Gather", Some("8"), "Hangup")
        );
        assert_eq!(gather.children[0].text, "Ann & \"Bob's\" <pipes> ]]> 100 % & more");
        let lines = document("attributes with lines");
        assert_eq!(lines.children[0].attribute("action"), Some("a\nb\tc\rd\"e&f<g>'"));
    }

    #[test]
    fn malformed_xml_is_rejected() {
        for bad in [
            "",
            "Response",
            "<Response>",
            "<Response></Reply>",
            "<Response><Say></Response>",
            "<Response>a & b</Response>",
            "<Response>&nbsp;</Response>",
            "<Response a=1/>",
            "<Response a=\"<\"/>",
            "<Response a=\"1\" a=\"2\"/>",
            "<Response/><Response/>",
            "<Response>\u{1b}</Response>",
            "<1/>",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
