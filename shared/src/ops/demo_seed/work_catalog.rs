//! Work of the demonstration's firm, and texts of its customers.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoWork {
    pub title: &'static str,
    /// A service of the lead form.
    pub service: &'static str,
    pub description: &'static str,
    /// Lines with their share of the price in percent; the last takes the rest.
    pub lines: &'static [(&'static str, i64)],
    pub materials: &'static [&'static str],
    pub hours: i64,
    /// US dollars.
    pub price: i64,
}

const fn demo_work(
    (title, service, hours, price): (&'static str, &'static str, i64, i64),
    description: &'static str,
    lines: &'static [(&'static str, i64)],
    materials: &'static [&'static str],
) -> DemoWork {
    DemoWork { title, service, description, lines, materials, hours, price }
}

/// The works of a month, together worth 89,042 dollars (decisions 33: the tile says $89K).
pub const MONTHLY_WORK: [DemoWork; 14] = [
    demo_work(
        ("Boiler replacement", "hvac", 9, 12_480),
        "Remove the 1987 cast-iron boiler and set a high-efficiency condensing boiler with outdoor reset. Customer keeps the radiators.",
        &[
            ("Condensing boiler, 110,000 BTU", 54),
            ("Removal and disposal of the old boiler", 8),
            ("Near-boiler piping, pump and zone valves", 20),
            ("Labor, two technicians", 0),
        ],
        &["Condensing boiler 110k BTU", "Zone valves (3)", "Circulator pump", "PVC vent kit"],
    ),
    demo_work(
        ("Furnace replacement", "hvac", 8, 8_720),
        "Replace the upstairs furnace, new flue liner, test all registers.",
        &[
            ("Two-stage gas furnace, 80,000 BTU", 58),
            ("Sheet metal and flue liner", 14),
            ("Smart thermostat", 4),
            ("Labor", 0),
        ],
        &["Two-stage furnace", "Flue liner 6 in", "Thermostat"],
    ),
    demo_work(
        ("Whole-house repipe", "plumbing", 10, 14_860),
        "Galvanized lines leak at the basement ceiling. Repipe kitchen, two baths and laundry in PEX, patch and prime.",
        &[
            ("PEX supply lines, two baths, kitchen and laundry", 42),
            ("Manifold with shut-offs", 12),
            ("Drywall patch and prime", 9),
            ("Labor, three days", 0),
        ],
        &["PEX-A 3/4 in, 300 ft", "PEX-A 1/2 in, 500 ft", "Copper manifold", "Stub-outs (14)"],
    ),
    demo_work(
        ("Kitchen remodel plumbing", "plumbing", 8, 5_480),
        "Move the sink to the island, add a pot filler and a line for the ice maker.",
        &[("Island drain and vent", 38), ("Pot filler and ice maker line", 21), ("Fixture setting", 12), ("Labor", 0)],
        &["Loop vent fittings", "Pot filler valve", "Ice maker box"],
    ),
    demo_work(
        ("Sewer line replacement", "plumbing", 10, 16_950),
        "Camera shows roots and a belly at 42 ft. Replace from the house to the main, restore the lawn.",
        &[
            ("Trenchless sewer replacement, 58 ft", 62),
            ("Permit and city inspection", 6),
            ("Two-way cleanout", 7),
            ("Lawn restoration", 0),
        ],
        &["HDPE 4 in, 60 ft", "Two-way cleanout", "Sod, 200 sq ft"],
    ),
    demo_work(
        ("Water heater, 50 gallon", "plumbing", 3, 2_340),
        "Tank leaks from the seam. Replace like for like, add an expansion tank and a pan.",
        &[
            ("50 gallon gas water heater", 56),
            ("Expansion tank and pan", 11),
            ("Haul away the old tank", 5),
            ("Labor", 0),
        ],
        &["50 gal gas heater", "Expansion tank", "Drain pan"],
    ),
    demo_work(
        ("Air conditioner and coil", "hvac", 7, 7_260),
        "Compressor locked up. New 3-ton condenser with matching coil and line set.",
        &[("3-ton condenser and matching coil", 64), ("Line set and pad", 10), ("Labor and start-up", 0)],
        &["3-ton condenser", "Evaporator coil", "Line set 35 ft"],
    ),
    demo_work(
        ("Sump pump with battery backup", "plumbing", 4, 2_180),
        "Basement took water in the last storm. New pit, primary pump and battery backup with alarm.",
        &[
            ("Primary pump 1/2 HP", 26),
            ("Battery backup with alarm", 38),
            ("New basin and check valve", 15),
            ("Labor", 0),
        ],
        &["Sump pump 1/2 HP", "Battery backup", "Check valve"],
    ),
    demo_work(
        ("Bathroom rough-in", "plumbing", 9, 9_640),
        "New basement bathroom: break concrete, drain, supply and vent for shower, toilet and vanity.",
        &[
            ("Concrete cutting and patch", 22),
            ("Drain, waste and vent rough-in", 34),
            ("Supply lines with shut-offs", 18),
            ("Labor", 0),
        ],
        &["PVC DWV 3 in", "Shower valve", "Closet flange"],
    ),
    demo_work(
        ("Tankless water heater", "plumbing", 6, 4_890),
        "Swap the 40 gallon tank for a tankless unit on the outside wall, larger gas line.",
        &[("Tankless heater, 199,000 BTU", 55), ("Gas line 3/4 in", 15), ("Venting and condensate", 11), ("Labor", 0)],
        &["Tankless 199k BTU", "Gas flex 3/4 in", "Isolation valve kit"],
    ),
    demo_work(
        ("Main line hydro-jetting", "plumbing", 3, 1_120),
        "Backs up every few months. Jet from the cleanout to the main, camera before and after.",
        &[("Hydro-jetting to the city main", 62), ("Camera inspection with recording", 0)],
        &["Root treatment"],
    ),
    demo_work(
        ("Burst pipe repair", "plumbing", 3, 1_384),
        "Frozen line in the garage wall burst. Open the wall, replace 12 ft, insulate.",
        &[("Emergency repair, first two hours", 45), ("Copper and insulation", 24), ("Wall opening and patch", 0)],
        &["Copper 1/2 in, 12 ft", "Pipe insulation"],
    ),
    demo_work(
        ("Gas line for a range", "plumbing", 3, 1_238),
        "Customer changes from electric to gas. Run 3/4 in from the meter, pressure test with the inspector.",
        &[("Gas line, 34 ft, with shut-off", 58), ("Permit and pressure test", 17), ("Labor", 0)],
        &["Black iron 3/4 in", "Shut-off valve"],
    ),
    demo_work(
        ("Toilet and shut-off valves", "plumbing", 2, 500),
        "Replace the hall toilet and three frozen shut-offs.",
        &[("Comfort-height toilet", 52), ("Quarter-turn shut-offs (3)", 21), ("Labor", 0)],
        &["Toilet, comfort height", "Shut-off 1/2 x 3/8 (3)"],
    ),
];

/// Texts of requests, in the firm's two languages.
pub const REQUEST_TEXTS: [&str; 12] = [
    "Water heater is making a popping noise and we run out of hot water after one shower. It is about 12 years old.",
    "Kitchen sink drains very slowly, we tried everything from the store. Two story house, can someone look this week?",
    "Looking for a quote to replace an old boiler before winter. Radiators in every room, 1920s house.",
    "Toilet in the upstairs bath keeps running and the shut-off will not turn. Please call after 3.",
    "Se está goteando el calentador de agua en el sótano y ya hay agua en el piso. ¿Pueden venir hoy por favor?",
    "We are finishing the basement and need plumbing for a bathroom. Drawings are ready.",
    "No heat since last night, furnace blows cold air. We have a baby in the house.",
    "Outside faucet leaks inside the wall when it is turned on. Not urgent but we do not want it to get worse.",
    "Necesito una cotización para cambiar la tubería de toda la casa. La casa es de 1950 y el agua sale café.",
    "Smell of sewer in the laundry room, comes and goes. Two bathrooms above.",
    "Want to switch to tankless. Gas meter is on the same wall, three bathrooms.",
    "Sump pump runs every few minutes even when it is dry outside. Should it be replaced?",
];

/// Reviews: 4.8 stars on average (decisions 10). The last one waits for an answer on the worklist.
pub const REVIEW_TEXTS: [(&str, i64, &str); 25] = [
    (
        "Google",
        5,
        "Called at 11 at night with water coming through the ceiling. Someone texted me back before I had found the towels, and a crew was here at seven. Fair price, clean work.",
    ),
    (
        "Google",
        5,
        "They gave us three options for the boiler in writing and did not push the expensive one. House has never been this even.",
    ),
    (
        "Yelp",
        4,
        "Great work on the repipe. One day later than planned, but they told us the evening before and the result is excellent.",
    ),
    (
        "Google",
        5,
        "I knew exactly when they would come, who would come and what it would cost. More firms should work like this.",
    ),
    (
        "Google",
        5,
        "Eddie explained what he did and showed me pictures of the old pipe. Wore shoe covers without being asked.",
    ),
    ("Facebook", 5, "Our third time with Northside. Same price as the estimate, again."),
    ("Google", 5, "Luis hablaba español con mi mamá y le explicó todo con mucha paciencia. Muy recomendados."),
    (
        "Google",
        4,
        "Good technicians and a fair bill. I would have liked the permit to go faster, but that is the city.",
    ),
    ("Google", 5, "New water heater the same day. Booked it myself on their page while the tank was still dripping."),
    ("Google", 5, "The camera video of our sewer line saved us from a much bigger dig another company wanted to do."),
    ("Facebook", 5, "Kayla fixed in one hour what two others could not find. Heat is back, family is happy."),
    ("Google", 5, "Honest. Told me the furnace has two good winters left and charged for the visit only."),
    ("Google", 5, "Estimate on my phone, signed on my phone, paid on my phone. And the bathroom is beautiful."),
    (
        "Yelp",
        5,
        "The dispatcher kept us posted all morning when the job before ours ran long. That is how it should be.",
    ),
    ("Google", 5, "Very clean copper work. Parking in our street is hard and they made it work."),
    (
        "Google",
        5,
        "They came back on a Saturday to tighten a fitting that I thought was dripping. It was not, and there was no charge.",
    ),
    ("Google", 5, "Quick answer, clear price, done. The backup pump already earned its money in the June storm."),
    ("Google", 5, "We manage forty units and Northside is the one contractor no one complains about."),
    ("Facebook", 5, "Excelente servicio, puntuales y muy limpios. Ya los recomendé con mi hermana."),
    ("Google", 5, "Moved our sink to the island and you cannot tell it was ever anywhere else."),
    ("Google", 4, "Solid job on the gas line. A bit hard to reach on Monday morning, perfect after that."),
    (
        "Google",
        5,
        "Three quotes: one never came, one was twice the price, and Northside. Easy choice, and the right one.",
    ),
    ("Google", 5, "From the first text to the final invoice nine days, with a permit in between. Impressive."),
    ("Google", 5, "My mother is 84 and called them by herself. They treated her the way I would want to be treated."),
    (
        "Google",
        3,
        "Everything works and the crew was friendly. But the patch in the wall was left unpainted, and no one had told us that it would be.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn month_of_work_totals_89_042_dollars() {
        let sum: i64 = MONTHLY_WORK.iter().map(|work| work.price).sum();
        assert_eq!(sum, 89_042);
    }

    #[test]
    fn line_shares_leave_a_remainder_for_last_line() {
        for work in MONTHLY_WORK {
            let (last, named) = work.lines.split_last().unwrap();
            let shares: i64 = named.iter().map(|(_, share)| share).sum();
            assert!(last.1 == 0 && shares < 100 && named.iter().all(|(_, share)| *share > 0), "{}", work.title);
        }
    }

    #[test]
    fn demo_reviews_average_four_point_eight_stars() {
        let stars: i64 = REVIEW_TEXTS.iter().map(|(_, stars, _)| stars).sum();
        assert_eq!((stars, REVIEW_TEXTS.len()), (120, 25));
    }
}
