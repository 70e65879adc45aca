// An email or web address that may be longer than its line: it breaks where its parts end.
import { Fragment } from 'react'

const PART = /[^@./?&=_+,;:#]*[@./?&=_+,;:#]+|[^@./?&=_+,;:#]+/g

type Part = { start: number; text: string }

/** Parts with the marks that end them: `ana@`, `home.`, `example`. */
export function splitAddress(address: string): Part[] {
  return Array.from(address.matchAll(PART), ({ index, 0: text }) => ({ start: index, text }))
}

/** Only a part that is longer than the line by itself is broken within. */
export function BreakableAddress({ children }: { children: string }) {
  return (
    <span className="wrap-anywhere">
      {splitAddress(children).map(({ start, text }) => (
        <Fragment key={start}>
          {start > 0 && <wbr />}
          {text}
        </Fragment>
      ))}
    </span>
  )
}
