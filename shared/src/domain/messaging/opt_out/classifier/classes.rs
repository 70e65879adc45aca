//! Word classes by function in a sentence.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// Class of an English, Spanish or French word; the word itself if it has none.
pub(in crate::domain::messaging::opt_out) fn word_class(word: &str) -> &str {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return if word.len() >= 4 { "CODE" } else { "DIGITS" };
    }
    CLASS_OF.get(word).copied().unwrap_or(word)
}

static CLASS_OF: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let each = |(class, words): &(&'static str, &'static str)| {
        let class = *class;
        words.split_whitespace().map(move |word| (word, class)).collect::<Vec<_>>()
    };
    CLASSES.iter().rev().flat_map(each).collect()
});

const CLASSES: &[(&str, &str)] = &[
    (
        "END",
        "stop stopall stopping stopped quit cease end ending halt desist discontinue suspend terminate unsubscribe unsub \
        optout refrain revoke revoked withdraw stopsign exit enough basta alto parar pare paren parenle parale dejar deje \
        dejen deja detener detengan detenga cesar baja arret arreter arretez cessez cesser assez suffit desabonner \
        desabonnez desinscription finir pausa mute unfollow unenroll deactivate terminated discontinued suspender suspenda \
        suspendan desactivar desactive desactiven desistan desista finalizar finalice uncheck unsign untext unsubscribing \
        silence silent",
    ),
    (
        "TAKE",
        "remove removed removing removal delete deleted deleting erase purge scrub wipe drop lose forget strike cross \
        scratch block blocked blocking report reporting reported borrar borre borren borrenme borreme quitar quite quiten \
        quitenme quiteme eliminar elimine eliminen eliminenme sacar saque saquenme saqueme enlevez retirez supprimez effacez \
        enlever retirer ban blacklist blocklist yank tear bin suppress retire quitadme borrame borrenme sacame saquenos quitame \
        debarquez otez eliminame take taken taking get off out away",
    ),
    (
        "TEXT",
        "text texts texting texted message messages messaging messaged sms mms contact contacting contacted communication \
        communications communicate correspondence spam spamming solicit soliciting solicitation solicitations notification \
        notifications notify notifying alerts reminders updates promos promotions ads advertising advertisements marketing \
        offers newsletters subscription blasts robotexts outreach ping pinging mensaje mensajes textos escribir escriba escriban \
        escribas escribirme mandar mande manden mandes enviar envie envien contactar contacte contacten llamen llame ofertas \
        correos textez texto ecrivez ecrire contactez contacter envoyez envoyer harass harassing harassment bother bothering \
        bug bugging annoy annoying pester pestering hounding hassle disturb molestar molesten moleste molesta fastidiar respond \
        reply hear hearing reach reached reaching write writing bothered solicited spammed texteen textear texteando textiando \
        textees texteame texter textos reecrivez reecrire rappels aviso avisos envio envios mensajito mensajitos msj msjs msg \
        msgs txt txts automated robot robots bot bots",
    ),
    (
        "NO",
        "no not dont never wont nadie zero cero aucun aucune personne cant without none nothing nobody neither nor didnt doesnt isnt wouldnt couldnt shouldnt arent \
        aint nunca jamas ya tampoco sin ne pas plus jamais longer anymore again further more nah nope mas",
    ),
    (
        "LIST",
        "list lists number numbers database system records contacts group subscription registry lista numero datos info \
        information telefono celular liste numero coordonnees phone cell name",
    ),
    (
        "WANT",
        "want wants wish like need prefer rather interested interest consent agree agreed agreeing permission consented consentimiento consentement permiso autorizacion authorization autorisation sign signed ask asked \
        asking request requesting quiero deseo quisiera necesito interesa autorizo veux voudrais souhaite interesse",
    ),
    ("ME", "me my us our i im ive id mine we nos nuestro mi mis yo moi mon mes je m"),
    ("YOU", "you your yours youre yall guys people usted ustedes su sus tu vous votre vos u"),
    (
        "PLEASE",
        "please kindly could would can may might must favor por veuillez svp merci thanks gracias appreciate respectfully",
    ),
    (
        "CURSE",
        "fuck fucking shit damn hell ass asshole assholes idiot idiots moron morons jerk jerks jackass scammer scammers \
        stupid crap bullshit fk pendejos cabrones chingar mierda",
    ),
    ("WRONG", "wrong equivocado equivocada mauvais incorrect mistaken"),
    (
        "WORK",
        "water leak leaks leaking leaky drip drips dripping pipe pipes roof roofing toilet toilets faucet sink drain drains \
        heater hvac ac furnace breaker outlet panel power light lights electric job work working truck driveway gate house door \
        yard street rain flood flooding flow running noise alarm beeping sewer gas shingles gutters ceiling attic basement \
        kitchen bathroom shower tub hose valve shutoff pump meter appointment reschedule schedule tomorrow tonight today monday \
        tuesday wednesday thursday friday saturday sunday estimate quote invoice bill paint crew dig digging drilling install \
        repair fix fixed come coming visit corner road sign fence wire smoke tree wall floor dog tank disposal inspector permit \
        invoices estimates quotes bills card billing charging charged \
        plumber electrician roofer tech price cost check payment pay key address neighbor tenant landlord agua fuga goteo \
        calentador tuberia techo llave cita factura presupuesto casa puerta trabajo fuite eau robinet reservoir",
    ),
    (
        "WHEN",
        "am pm oclock noon morning afternoon evening week weekend month hour hours minutes min now later soon early late \
        before after until till by at",
    ),
];

/// The class; negations are split into those that deny and those that say "again".
pub(super) fn fine_class(word: &str) -> &str {
    const AGAIN: &str = "longer anymore again further more ever ya mas plus jamais";
    match word_class(word) {
        "NO" if AGAIN.split(' ').any(|one| one == word) => "AGAIN",
        class => class,
    }
}

/// Placeholder for words that are neither in a class nor function words.
pub(super) const OTHER_CLASS: &str = "OTHER";

/// The class, the word itself if it is a function word, or the placeholder.
pub(super) fn coarse_class(word: &str) -> &str {
    match fine_class(word) {
        same if same == word && !GRAMMAR.contains(word) => OTHER_CLASS,
        class => class,
    }
}

/// Function words, and words common in any text.
static GRAMMAR: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "a an the this that these those it its they them their he him his she her and or but so if because than then \
     is are was were be been being am do does did done have has had having get got gotten to of in on at for from with by about \
     into over under up down out off through as like just only really very too so all any some every each both one two once \
     what when where who whos why how which while here there yes yeah yep ok okay sure hi hello hey sorry lol omg ugh wtf \
     well already still yet even right let lets make made know think say said says tell told give gave go going gone went \
     new old other another same next last first more less much many never always ever send sending sent keep keeps \
     good great bad thing things stuff today day days time times way back too else someone somebody anyone anything everything \
     something whoever whatever person company business service customer el la los las un una de del que y o en con por para se \
     es son esta este esto estos esa ese eso lo les le te me al a su si pero como cuando quien donde muy le du des les un une et \
     ou que qui est sont dans pour sur avec mais ce cette ces il elle on"
        .split_whitespace()
        .collect()
});

pub(super) fn is_negation(word: &str) -> bool {
    fine_class(word) == "NO"
}
