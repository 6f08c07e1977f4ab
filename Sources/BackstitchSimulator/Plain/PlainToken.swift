import Backstitch
import BackstitchServer
import BackstitchSupport

/// A change token: the epoch of a zone, and a position in its feed.
struct PlainToken {
    var epoch: Int64
    var sequence: Int64

    init(epoch: Int64, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    init?(_ text: String) {
        let parts = text.split(separator: ".")
        guard parts.count == 3, parts[0] == "plain", let epoch = Int64(parts[1]), let sequence = Int64(parts[2]) else {
            return nil
        }
        (self.epoch, self.sequence) = (epoch, sequence)
    }

    var text: String { "plain.\(epoch).\(sequence)" }
}
