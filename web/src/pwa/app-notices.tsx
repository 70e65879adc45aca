// The strips above every staff screen: no network, a new version.
import { inDemo } from '@/lib/demo'
import { useOnline } from '@/lib/hooks/use-online'
import { Icon } from '@/ui/icon'
import { UpdateBanner } from './update-banner'

export function AppNotices() {
  return (
    <>
      <OfflineStrip />
      <UpdateBanner />
    </>
  )
}

function OfflineStrip() {
  const isOnline = useOnline()
  if (isOnline) return null
  return (
    <p
      role="status"
      className="flex items-center gap-2 border-b border-warning/40 bg-warning/8 px-4 py-2 text-note text-warning"
    >
      <Icon name="offline" className="size-4" />
      You are offline. {inDemo() ? 'The demonstration needs a connection.' : 'What you see was saved on this device.'}
    </p>
  )
}
