import Backstitch
import BackstitchSupport

/// A download has ended because transfers were paused.
struct DownloadInterrupted: Error {}
