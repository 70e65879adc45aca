// Guided set-up of a business's number: get one, use one of the account, or keep one's own by call forwarding.
import { lazy, Suspense, useState } from 'react'
import { ChipChoice } from '@/ui/chip-choice'
import { SkeletonLines } from '@/ui/skeleton'
import { numberSetupMessages as texts } from './messages'

const GetNumber = lazy(async () => ({ default: (await import('./get-number')).GetNumber }))
const TakeOverNumber = lazy(async () => ({ default: (await import('./take-over-number')).TakeOverNumber }))
const ForwardNumber = lazy(async () => ({ default: (await import('./forward-number')).ForwardNumber }))

type NumberWay = keyof typeof texts.ways

const WAYS = (['buy', 'takeOver', 'forward'] as const).map((value) => ({ value, label: texts.ways[value] }))

/** For owners. `initialWay` is what the guided start or the settings open with. */
export function NumberSetup({ initialWay = 'buy' }: { initialWay?: NumberWay }) {
  const [way, setWay] = useState<NumberWay>(initialWay)
  return (
    <section aria-label={texts.title} className="grid gap-4">
      <h3 className="font-semibold">{texts.title}</h3>
      <p className="text-note text-muted">{texts.about}</p>
      <ChipChoice legend={texts.title} chips={WAYS} value={way} onChange={setWay} />
      <Suspense fallback={<SkeletonLines lines={4} />}>
        {way === 'buy' && <GetNumber />}
        {way === 'takeOver' && <TakeOverNumber />}
        {way === 'forward' && <ForwardNumber />}
      </Suspense>
    </section>
  )
}
