// Scheduling slot of the lead board.
import { useOutletContext } from 'react-router-dom'
import type { ScheduleRouteProps } from '@/domain/lead'
import { AddJobDialog } from './components/add-job-dialog'

export function Component() {
  const { lead, onClose } = useOutletContext<ScheduleRouteProps>()
  return <AddJobDialog open onClose={onClose} lead={lead} />
}
