// Preloaded (`node --import`) by `assay plugin test`, so that tests find this package wherever they stand.
import { offerOwnPackage } from '../../config/own_package.ts'

offerOwnPackage()
