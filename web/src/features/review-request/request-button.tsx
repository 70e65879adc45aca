// The button that asks a customer for a review, with what it would send.
import { lazy, Suspense, useState } from 'react'
import { useOnline } from '@/lib/hooks/use-online'
import { Button } from '@/ui/button'
import { requestMessages } from './messages'
import type { AskedFor } from './types'

const RequestDialog = lazy(async () => ({ default: (await import('./request-dialog')).RequestDialog }))

type RequestButtonProps = { of: AskedFor; className?: string }

export function RequestButton({ of, className }: RequestButtonProps) {
  const isOnline = useOnline()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        variant="secondary"
        icon="star"
        className={className}
        disabled={!isOnline}
        onClick={() => setIsOpen(true)}
      >
        {requestMessages.title}
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <RequestDialog of={of} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
