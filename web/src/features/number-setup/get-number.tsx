// Search for a number by area code, or a toll-free one, and buy it.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { useCurrentUser } from '@/features/session/use-session'
import { formatMoney } from '@/lib/format/money'
import { formatPhone } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { ChipChoice } from '@/ui/chip-choice'
import { Dialog } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { Spinner } from '@/ui/spinner'
import { numberSetupMessages } from './messages'
import {
  isOrderOpen,
  numberQueries,
  type NumberOffer,
  type NumberOrder,
  type NumberType,
  useOrderNumber,
} from './queries'

const texts = numberSetupMessages.buy

const KINDS = [
  { value: 'local', label: t('Local') },
  { value: 'toll_free', label: t('Toll-free') },
] as const satisfies readonly { value: NumberType; label: string }[]

export function GetNumber() {
  const { orgId } = useCurrentUser()
  const offer = useQuery(numberQueries.offer(orgId))
  return (
    <QueryBoundary query={offer} skeleton={<SkeletonLines lines={4} />} errorText={numberSetupMessages.loadFailed}>
      {(found) => <OfferView offer={found} />}
    </QueryBoundary>
  )
}

function OfferView({ offer: { why, order } }: { offer: NumberOffer }) {
  const bought = order?.kind === 'purchase' ? order : undefined
  return (
    <div className="grid gap-4">
      {bought && <OrderStatus order={bought} />}
      {why ? !isOrderOpen(order) && bought?.state !== 'done' && <Notice tone="info" title={why} /> : null}
      {!why && !isOrderOpen(order) && <NumberSearch />}
    </div>
  )
}

function OrderStatus({ order: { number, state, reason } }: { order: NumberOrder }) {
  const shown = formatPhone(number)
  switch (state) {
    case 'done':
      return <Notice tone="success" title={texts.done(shown)} />
    case 'failed':
      return (
        <Notice tone="error" title={texts.failedTitle}>
          {reason}
        </Notice>
      )
    case 'waiting':
    case 'sending':
      return (
        <p role="status" className="flex items-center gap-3">
          <Spinner size="small" />
          {state === 'waiting' ? texts.working(shown) : texts.inDoubt(shown)}
        </p>
      )
  }
}

function NumberSearch() {
  const { orgId } = useCurrentUser()
  const [kind, setKind] = useState<NumberType>('local')
  const [areaCode, setAreaCode] = useState('')
  const [asked, setAsked] = useState<string>()
  const isAsked = kind === 'toll_free' || asked !== undefined
  const found = useQuery({ ...numberQueries.search(orgId, kind, asked ?? ''), enabled: isAsked })
  const problem = found.error instanceof ApiError ? found.error.errors['areaCode'] : undefined
  return (
    <div className="grid gap-4">
      <ChipChoice legend={t('Kind of number')} chips={KINDS} value={kind} onChange={setKind} />
      <p className="text-note text-muted">{kind === 'local' ? texts.localNote : texts.tollFreeNote}</p>
      {kind === 'local' && (
        <form
          aria-label={t('Search by area code')}
          className="grid gap-3"
          onSubmit={(event: FormEvent) => {
            event.preventDefault()
            setAsked(areaCode)
          }}
        >
          <Field label={texts.areaCode} unmarked hint={texts.areaCodeHint} error={problem}>
            {(aria) => (
              <input
                className="input"
                inputMode="numeric"
                autoComplete="off"
                maxLength={3}
                {...aria}
                value={areaCode}
                onChange={(event) => setAreaCode(event.target.value.replace(/\D/g, ''))}
              />
            )}
          </Field>
          <div>
            <Button type="submit" disabled={areaCode.length !== 3} pending={found.isFetching}>
              {texts.search}
            </Button>
          </div>
        </form>
      )}
      {isAsked && found.isFetching && !found.data && <SkeletonLines lines={5} />}
      {found.isError && !problem && (
        <Notice tone="error" title={describeError(found.error).title}>
          {describeError(found.error).description}
        </Notice>
      )}
      {isAsked && found.data && <FoundNumbers found={found.data} />}
    </div>
  )
}

type FoundNumbersProps = {
  found: {
    isNearby: boolean
    monthlyPrice?: number | null
    numbers: { number: string; locality?: string | null; region?: string | null }[]
  }
}

function FoundNumbers({ found: { numbers, isNearby, monthlyPrice } }: FoundNumbersProps) {
  const [chosen, setChosen] = useState<string>()
  const order = useOrderNumber()
  const close = () => setChosen(undefined)
  const price = typeof monthlyPrice === 'number' ? texts.price(formatMoney(monthlyPrice)) : texts.priceUnknown
  if (numbers.length === 0) return <Notice tone="info" title={texts.none} />
  return (
    <>
      {isNearby && <p className="text-note">{texts.nearby}</p>}
      <p className="text-note text-muted">{price}</p>
      <ul aria-label={t('Numbers')} className="grid gap-2">
        {numbers.map(({ number, locality, region }) => (
          <li key={number} className="flex flex-wrap items-center justify-between gap-2">
            <span className="min-w-0">
              <span className="font-semibold">{formatPhone(number)}</span>
              <span className="block text-caption text-muted">{[locality, region].filter(Boolean).join(', ')}</span>
            </span>
            <Button
              variant="secondary"
              aria-label={t('Get {number}', { number: formatPhone(number) })}
              onClick={() => setChosen(number)}
            >
              {t('Get it')}
            </Button>
          </li>
        ))}
      </ul>
      <Dialog
        open={chosen !== undefined}
        onClose={close}
        title={chosen ? t('Get {number}?', { number: formatPhone(chosen) }) : t('Get this number?')}
        actions={
          <>
            <Button variant="ghost" onClick={close}>
              {t('Not now')}
            </Button>
            <Button
              pending={order.isPending}
              onClick={() => {
                if (chosen) order.mutate(chosen, { onSettled: close })
              }}
            >
              {texts.get}
            </Button>
          </>
        }
      >
        <p className="font-semibold">{price}</p>
        <p className="mt-2">{texts.confirmNote}</p>
      </Dialog>
    </>
  )
}
