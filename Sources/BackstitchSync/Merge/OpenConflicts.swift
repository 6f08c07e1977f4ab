import Backstitch
import BackstitchSupport

/// Conflicts are open: the transaction is given up, and tried again when resolvers have been asked.
struct OpenConflicts: Error {}
