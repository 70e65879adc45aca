// The app's icons: one stroke style, drawn on a 24 px grid. Always decoration; the word stands beside it.
import { classNames } from '@/lib/class-names'

const PATHS = {
  alert: 'M12 9v4m0 3.5h.01M10.3 4.3 2.6 17.5A2 2 0 0 0 4.3 20.5h15.4a2 2 0 0 0 1.7-3L13.7 4.3a2 2 0 0 0-3.4 0Z',
  'arrow-left': 'M19 12H5m6-7-7 7 7 7',
  'arrow-right': 'M5 12h14m-6-7 7 7-7 7',
  'arrow-up': 'M12 19V5m-6 6 6-6 6 6',
  'arrow-down': 'M12 5v14m6-6-6 6-6-6',
  bell: 'M6 16V10.5a6 6 0 1 1 12 0V16l1.5 2.5h-15L6 16Zm4 5h4',
  board: 'M4 4h4v16H4V4Zm6 0h4v10h-4V4Zm6 0h4v13h-4V4Z',
  briefcase:
    'M4 8h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1Zm5 0V5a1 1 0 0 1 1-1h4a1 1 0 0 1 1 1v3M3 13h18',
  calendar: 'M5 5h14a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2Zm3-2v4m8-4v4M3 10h18',
  camera:
    'M4 8h3l2-3h6l2 3h3a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1Zm8 2.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7Z',
  chart: 'M4 4v16h16M8.5 16v-4m4.5 4V8m4.5 8v-6',
  check: 'm4.5 12.5 5 5 10-11',
  'check-circle': 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Zm-4 9.3 2.8 2.8L16 9.5',
  'chevron-down': 'm6 9 6 6 6-6',
  clock: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Zm0 4.5V12l3 2',
  close: 'm6 6 12 12M18 6 6 18',
  copy: 'M9 9h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1Zm-1 6H5a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v4',
  document: 'M6 3h8l5 5v12a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1Zm8 0v5h5M9 13h6m-6 4h6',
  dollar:
    'M12 3v18m4.5-14.5C15.5 5.5 14 5 12 5c-2.5 0-4.5 1.2-4.5 3.4C7.5 13 17 10.8 17 15.4c0 2.3-2.2 3.6-5 3.6-2.3 0-4-.7-5-2',
  download: 'M12 3v12m-5-5 5 5 5-5M4 20h16',
  dots: 'M5 11a1 1 0 1 1 0 2 1 1 0 0 1 0-2Zm7 0a1 1 0 1 1 0 2 1 1 0 0 1 0-2Zm7 0a1 1 0 1 1 0 2 1 1 0 0 1 0-2Z',
  external: 'M14 4h6v6m0-6-9 9M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5',
  eye: 'M2 12s3.6-7 10-7 10 7 10 7-3.6 7-10 7-10-7-10-7Zm10-3a3 3 0 1 1 0 6 3 3 0 0 1 0-6Z',
  'eye-off':
    'M4 4l16 16M9.9 5.2A9.7 9.7 0 0 1 12 5c6.4 0 10 7 10 7a17 17 0 0 1-3 3.8M6.3 6.7A16.5 16.5 0 0 0 2 12s3.6 7 10 7a9.6 9.6 0 0 0 4.9-1.3M9.9 9.9a3 3 0 0 0 4.2 4.2',
  flag: 'M5 21V4h13l-3 4 3 4H5',
  gear: 'M4 7h9m4 0h3M4 17h3m4 0h9M15 4.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5Zm-6 10a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5Z',
  home: 'm3 11 9-8 9 8v9a1 1 0 0 1-1 1h-5v-7H9v7H4a1 1 0 0 1-1-1v-9Z',
  inbox: 'M4 4h16l1.5 10V19a1 1 0 0 1-1 1h-17a1 1 0 0 1-1-1v-5L4 4Zm-1.5 10h5l1.5 3h6l1.5-3h5',
  info: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Zm0 8v5m0-8.5h.01',
  leads:
    'M9 5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7ZM2.5 20c0-3.6 2.9-6 6.5-6s6.5 2.4 6.5 6M16 5.3a3.5 3.5 0 0 1 0 6.4M17.5 14.3c2.4.7 4 2.7 4 5.7',
  logout: 'M10 4H5a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h5m5-4 4-4-4-4m4 4H9',
  mail: 'M4 5h16a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1Zm-1 1.5 9 6.5 9-6.5',
  menu: 'M4 6h16M4 12h16M4 18h16',
  message: 'M4 4h16a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-9l-5 4v-4H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Z',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z',
  offline:
    'M3 3l18 18M8.5 16.5a5 5 0 0 1 7 0M5 12.5a10 10 0 0 1 5-2.7M19 12.5a10 10 0 0 0-3.5-2.3M2 8.8a15 15 0 0 1 4.5-2.9M22 8.8A15 15 0 0 0 11 5M12 20h.01',
  pencil: 'M4 20l1-4L16.5 4.5a2.1 2.1 0 0 1 3 3L8 19l-4 1Zm10.5-13.5 3 3',
  phone: 'M5 3h4l1.5 5-2.5 1.8a12 12 0 0 0 6.2 6.2L16 13.5l5 1.5v4a2 2 0 0 1-2.2 2A17 17 0 0 1 3 5.2 2 2 0 0 1 5 3Z',
  pin: 'M12 21s7-6.2 7-11.5A7 7 0 0 0 5 9.5C5 14.8 12 21 12 21Zm0-14a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5Z',
  play: 'M7 4.5v15l12-7.5L7 4.5Z',
  plus: 'M12 5v14m-7-7h14',
  refresh: 'M20 11a8 8 0 0 0-14-4.5L4 9m0-5v5h5M4 13a8 8 0 0 0 14 4.5l2-2.5m0 5v-5h-5',
  search: 'M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13Zm5 11.5L21 21',
  send: 'M21 3 3 10.5l7 3.5 3.5 7L21 3ZM10 14l4-4',
  'share-up': 'M12 15V3m-4 4 4-4 4 4M8 10H6a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1h12a1 1 0 0 0 1-1v-9a1 1 0 0 0-1-1h-2',
  shield: 'M12 3 4.5 6v6c0 4.5 3.2 7.6 7.5 9 4.3-1.4 7.5-4.5 7.5-9V6L12 3Zm-3.2 9 2.2 2.2 4.2-4.4',
  sparkle:
    'M12 3l1.9 5.6a2 2 0 0 0 1.3 1.3L21 12l-5.8 1.9a2 2 0 0 0-1.3 1.3L12 21l-1.9-5.8a2 2 0 0 0-1.3-1.3L3 12l5.8-2.1a2 2 0 0 0 1.3-1.3L12 3Z',
  star: 'm12 3.5 2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9-4.3-4.1 5.9-.8L12 3.5Z',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8Zm0-6v2m0 16v2M2 12h2m16 0h2M4.9 4.9l1.4 1.4m11.4 11.4 1.4 1.4m0-14.2-1.4 1.4M6.3 17.7l-1.4 1.4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5.5m4-5.5v5.5',
  undo: 'M9 5 4 10l5 5m-5-5h10a6 6 0 0 1 0 12h-3',
  user: 'M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM4 20.5c0-4 3.6-6.5 8-6.5s8 2.5 8 6.5',
  wrench:
    'M14.5 6.5a4.5 4.5 0 0 1 5.8-1.3l-3 3 1.5 1.5 3-3a4.5 4.5 0 0 1-6 5.9L8 20.4a2 2 0 0 1-2.9 0l-1.5-1.5a2 2 0 0 1 0-2.9L11.4 8.2',
} as const

export type IconName = keyof typeof PATHS

type IconProps = { name: IconName; className?: string }

export function Icon({ name, className }: IconProps) {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={classNames('inline-block size-5 shrink-0', className)}
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
