import Backstitch
import CloudWire

/// Tells how a record is treated that comes with the tag by which it is known here.
enum KnownTag {
    /// It is here as it is there.
    case skip
    /// It is, unless the tag is one of another history: its content tells.
    case compare
    /// It is the version that was acknowledged: where the object differs from it, it was edited here.
    case acknowledged
    /// It is applied, because it may be read differently now.
    case apply
}
