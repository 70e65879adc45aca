// Marks several alerts as seen in one request.
import { useState } from 'react'
import { useOnline } from '@/lib/hooks/use-online'
import { Button } from '@/ui/button'
import { leadsMessages } from '../messages'
import { useMarkAlertsSeen } from '../mutations'

type MarkSeenButtonProps = { ids: readonly string[]; /** How many of them are urgent. */ urgent: number; label: string }

export function MarkSeenButton({ ids, urgent, label }: MarkSeenButtonProps) {
  const [isSure, setIsSure] = useState(false)
  const isOnline = useOnline()
  const see = useMarkAlertsSeen()
  const mark = () => {
    // Seen urgent alerts call nobody else: one tap more.
    if (urgent > 0 && !isSure) return setIsSure(true)
    setIsSure(false)
    see.mutate(ids)
  }
  return (
    <Button
      variant="ghost"
      className="min-h-11! px-3! text-note!"
      icon="check"
      disabled={!isOnline}
      pending={see.isPending}
      onClick={mark}
    >
      {isSure ? leadsMessages.alerts.markUrgent(ids.length) : label}
    </Button>
  )
}
