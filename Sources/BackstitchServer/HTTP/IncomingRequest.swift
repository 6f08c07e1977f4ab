import Backstitch
import BackstitchSQL
import BackstitchSupport
import CloudWire
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// A request with the parts that its handlers need.
struct IncomingRequest: Sendable {
    var request: Request
    var parameters: QueryString
    var context: ZoneRequestContext

    /// The address of the caller's machine, as a trusted proxy says it or the connection has it; of an IPv6 address the
    /// network, of which one caller has all addresses.
    var address: String
}
