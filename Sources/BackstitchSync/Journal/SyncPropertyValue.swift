import Backstitch
import Foundation

/// A value of a property or of a note. Stores exist that have it in this form.
protocol SyncPropertyValue {
    /// Reads what ``storedForm`` gave; nil where nothing can be made of it.
    init?(storedForm: Data) throws
    /// The bytes that are kept; nil where nothing is kept of the value.
    var storedForm: Data? { get throws }
}
