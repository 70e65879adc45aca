// A job for a lead, from the board of leads.
import { useOutletContext } from 'react-router-dom'
import type { ScheduleSlot } from '@/domain/lead'
import { AddJobDialog } from './components/add-job-dialog'

export function Component() {
  const { lead, onClose } = useOutletContext<ScheduleSlot>()
  return <AddJobDialog open onClose={onClose} lead={lead} />
}
