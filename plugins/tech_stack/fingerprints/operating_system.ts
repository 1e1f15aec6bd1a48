// Operating systems.
import { headerWith, technologies } from '../patterns.ts'

export const operating_system = technologies('operating_system', [
  ['AlmaLinux', [headerWith('server', '(AlmaLinux)')]],
  ['CentOS', [headerWith('server', '(CentOS')]],
  [
    'Debian',
    [headerWith('server', '(Debian)'), headerWith('x-powered-by', '+deb'), headerWith('x-powered-by', '~deb')],
  ],
  ['Fedora', [headerWith('server', '(Fedora')]],
  ['FreeBSD', [headerWith('server', '(FreeBSD)')]],
  ['Oracle Linux', [headerWith('server', '(Oracle Linux)')]],
  ['Red Hat Enterprise Linux', [headerWith('server', '(Red Hat')]],
  ['Rocky Linux', [headerWith('server', '(Rocky Linux)')]],
  ['SUSE Linux', [headerWith('server', '(Linux/SUSE)')]],
  ['Ubuntu', [headerWith('server', '(Ubuntu)'), headerWith('x-powered-by', 'ubuntu')]],
  ['Windows Server', [headerWith('server', '(Win64)'), headerWith('server', '(Win32)')]],
])
