import Backstitch
import BackstitchSupport

/// A zone's part of a journal, for reading.
struct ZoneReader: ZoneScoped {
    let whole: any JournalReading
    let zone: Int64

    init(_ journal: any JournalReading, _ zone: Int64) { (whole, self.zone) = (journal, zone) }
}
