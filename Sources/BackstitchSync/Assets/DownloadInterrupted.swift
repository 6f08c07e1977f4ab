import Backstitch
import BackstitchSupport

/// A download has ended because transfers are to rest.
struct DownloadInterrupted: Error {}
