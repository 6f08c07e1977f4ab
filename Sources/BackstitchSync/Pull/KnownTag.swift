import Backstitch
import CloudWire

/// The treatment of a received record whose tag is the known one.
enum KnownTag {
    /// The object is the same here and there, so the record is skipped.
    case skip
    /// The object is the same, unless the tag is from another history: the contents are compared.
    case compare
    /// The record is the acknowledged version: an object that differs from it was edited here.
    case acknowledged
    /// The record is applied, because it may be read differently now.
    case apply
}
