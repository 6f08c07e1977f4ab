import Backstitch
import Foundation

/// A value of a property or of a note. Existing stores contain values in this form.
protocol SyncPropertyValue {
    /// Reads the bytes of ``storedForm``; nil if they are invalid.
    init?(storedForm: Data) throws
    /// The bytes to be stored; nil if the value is not stored.
    var storedForm: Data? { get throws }
}
