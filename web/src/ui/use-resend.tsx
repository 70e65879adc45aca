// Sending a message again: asked first where it may have arrived, and where something changed since.
import { useState } from 'react'
import type { SendAgainResult } from '@/api/send-again'
import { ConfirmResend } from './confirm-resend'

type Send = (
  wanted: { id: string; anyway?: boolean },
  options: { onSuccess: (result: SendAgainResult) => void },
) => void
type Wanted = { id: string; status: string; /** The number or address, as it is shown. */ to: string }

/** What the button does, and the dialog that stands beside it. */
export function useResend({ id, status, to }: Wanted, send: Send) {
  const [asked, setAsked] = useState<{ changed?: string }>()
  const go = (anyway: boolean) => {
    setAsked(undefined)
    send(
      { id, anyway },
      {
        onSuccess: (result) => {
          if ('asks' in result) setAsked({ changed: result.asks })
        },
      },
    )
  }
  const dialog = (
    <ConfirmResend
      open={asked !== undefined}
      to={to}
      changed={asked?.changed}
      onClose={() => setAsked(undefined)}
      onConfirm={() => go(asked?.changed !== undefined)}
    />
  )
  return { press: () => (status === 'unknown' ? setAsked({}) : go(false)), dialog }
}
