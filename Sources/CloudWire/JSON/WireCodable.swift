/// A value that can be written as JSON and read from it.
package typealias WireCodable = WireEncodable & WireDecodable
