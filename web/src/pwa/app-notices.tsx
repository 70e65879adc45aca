// Banners above staff screens: offline, new version.
import { isDemoMode } from '@/lib/demo'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Icon } from '@/ui/icon'
import { UpdateBanner } from './update-banner'

export function AppNotices() {
  return (
    <>
      <OfflineNotice />
      <UpdateBanner />
    </>
  )
}

function OfflineNotice() {
  const isOnline = useOnline()
  if (isOnline) return null
  return (
    <p
      role="status"
      className="flex items-center gap-2 border-b border-warning/40 bg-warning/8 px-4 py-2 text-note text-warning"
    >
      <Icon name="offline" className="size-4" />
      {t('You are offline.')}{' '}
      {isDemoMode() ? t('The demonstration needs a connection.') : t('What you see was saved on this device.')}
    </p>
  )
}
