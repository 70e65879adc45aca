// One thing to try: what to do, whether it arrived, and what to check when it does not.
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { IconName } from '@/ui/icon'
import { Card } from '@/ui/card'
import { Notice } from '@/ui/notice'
import { Spinner } from '@/ui/spinner'
import { startMessages } from './messages'
import type { Arrival } from './use-arrivals'

const texts = startMessages.test

type ArrivalKind = 'call' | 'text' | 'form'

const ICONS: Record<ArrivalKind, IconName> = { call: 'phone', text: 'message', form: 'inbox' }
const ABOUT: Record<ArrivalKind, string> = { call: texts.callAbout, text: texts.textAbout, form: texts.formAbout }

type ArrivalCardProps = { kind: ArrivalKind; arrival: Arrival; /** How to try it. */ children: ReactNode }

export function ArrivalCard({ kind, arrival: { hasArrived, isLate, detail, to }, children }: ArrivalCardProps) {
  return (
    <Card title={texts[kind]} icon={ICONS[kind]}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {hasArrived ? (
          <Notice tone="success" title={texts.arrived[kind]}>
            {detail && <p className="line-clamp-3 wrap-anywhere">{detail}</p>}
            {to && (
              <Link to={to} className="text-link inline-flex min-h-11 items-center">
                {texts.see}
              </Link>
            )}
          </Notice>
        ) : (
          <>
            <p className="text-note text-muted">{ABOUT[kind]}</p>
            {children}
            <p role="status" className="flex items-center gap-3">
              <Spinner size="small" />
              {texts.waitingFor[kind]}
            </p>
            {isLate && (
              <Notice tone="warning" title={texts.late}>
                <ul className="list-disc space-y-1 pl-5">
                  {texts.tips[kind].map((tip) => (
                    <li key={tip}>{tip}</li>
                  ))}
                </ul>
              </Notice>
            )}
          </>
        )}
      </div>
    </Card>
  )
}
