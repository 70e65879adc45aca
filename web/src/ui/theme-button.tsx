import { setTheme, useTheme } from '@/lib/theme'
import { IconButton } from './button'

export function ThemeButton() {
  const isDay = useTheme() === 'toolbox-day'
  return (
    <IconButton
      label={isDay ? 'Switch to the night theme' : 'Switch to the day theme'}
      icon={isDay ? 'moon' : 'sun'}
      onClick={() => setTheme(isDay ? 'toolbox' : 'toolbox-day')}
    />
  )
}
