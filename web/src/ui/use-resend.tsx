// Resend with confirmation after uncertain delivery or changes.
import { useState } from 'react'
import type { ResendResult } from '@/api/resend-message'
import { ConfirmResend } from './confirm-resend'

type ResendFn = (
  wanted: { id: string; anyway?: boolean },
  options: { onSuccess: (result: ResendResult) => void },
) => void
type ResendTarget = {
  id: string
  status: string
  /** Display form. */ to: string
  /** None for a message to one's own people. */ customerId?: string | null
}

export function useResend({ id, status, to, customerId }: ResendTarget, send: ResendFn) {
  const [confirmation, setAsked] = useState<{ changed?: string }>()
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
      open={confirmation !== undefined}
      to={to}
      isToCustomer={Boolean(customerId)}
      changed={confirmation?.changed}
      onClose={() => setAsked(undefined)}
      onConfirm={() => go(confirmation?.changed !== undefined)}
    />
  )
  return { press: () => (status === 'unknown' ? setAsked({}) : go(false)), dialog }
}
