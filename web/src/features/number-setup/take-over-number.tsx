// Takes over a number of the account that belongs to no business.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCurrentUser } from '@/features/session/use-session'
import { formatPhone } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { numberSetupMessages } from './messages'
import { numberQueries, useTakeOverNumber } from './queries'

const texts = numberSetupMessages.takeOver

export function TakeOverNumber() {
  const { orgId } = useCurrentUser()
  const offer = useQuery(numberQueries.offer(orgId))
  return (
    <QueryBoundary query={offer} skeleton={<SkeletonLines lines={3} />} errorText={numberSetupMessages.loadFailed}>
      {({ why }) => (why ? <Notice tone="info" title={why} /> : <AccountNumbers />)}
    </QueryBoundary>
  )
}

function AccountNumbers() {
  const { orgId } = useCurrentUser()
  const numbers = useQuery(numberQueries.accountNumbers(orgId))
  const [chosen, setChosen] = useState<string>()
  const takeOver = useTakeOverNumber()
  const close = () => setChosen(undefined)
  return (
    <QueryBoundary
      query={numbers}
      skeleton={<SkeletonLines lines={3} />}
      isEmpty={(found) => found.length === 0}
      empty={<Notice tone="info" title={texts.none} />}
      errorText={numberSetupMessages.loadFailed}
    >
      {(found) => (
        <>
          <p className="text-note text-muted">{texts.about}</p>
          <ul aria-label={t('Numbers of the account')} className="mt-3 grid gap-2">
            {found.map(({ number, isUsedElsewhere }) => (
              <li key={number} className="flex flex-wrap items-center justify-between gap-2">
                <span className="min-w-0">
                  <span className="font-semibold">{formatPhone(number)}</span>
                  {isUsedElsewhere && <span className="block text-caption text-muted">{texts.usedElsewhere}</span>}
                </span>
                {!isUsedElsewhere && (
                  <Button
                    variant="secondary"
                    aria-label={t('Use {number}', { number: formatPhone(number) })}
                    onClick={() => setChosen(number)}
                  >
                    {t('Use it')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
          <Dialog
            open={chosen !== undefined}
            onClose={close}
            title={chosen ? t('Use {number}?', { number: formatPhone(chosen) }) : t('Use this number?')}
            actions={
              <>
                <Button variant="ghost" onClick={close}>
                  {t('Not now')}
                </Button>
                <Button
                  pending={takeOver.isPending}
                  onClick={() => {
                    if (chosen) takeOver.mutate(chosen, { onSettled: close })
                  }}
                >
                  {texts.take}
                </Button>
              </>
            }
          >
            <p>{texts.confirmNote}</p>
          </Dialog>
        </>
      )}
    </QueryBoundary>
  )
}
