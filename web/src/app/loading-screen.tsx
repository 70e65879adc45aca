// Screen while the session or a screen's code loads.
import { useEffect, useState } from 'react'
import { t } from '@/lib/i18n'
import { Spinner } from '@/ui/spinner'

const SHOWN_AFTER_MS = 150

export function LoadingScreen() {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), SHOWN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" className="grid min-h-[60dvh] place-items-center">
      <p className={isLong ? 'flex items-center gap-3 text-muted' : 'sr-only'}>
        <Spinner />
        {t('Loading...')}
      </p>
    </div>
  )
}
