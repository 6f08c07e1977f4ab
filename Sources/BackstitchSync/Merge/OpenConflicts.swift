import Backstitch
import BackstitchSupport

/// Conflicts are open: the transaction is rolled back, and tried again after the resolvers have answered.
struct OpenConflicts: Error {}
