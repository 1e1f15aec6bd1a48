// Preloaded (`node --import`) by `assay plugin test`, so that tests find this package from any directory.
import { offerOwnPackage } from '../../engine/own_package.ts'

offerOwnPackage()
