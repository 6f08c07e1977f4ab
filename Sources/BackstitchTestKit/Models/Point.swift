import Backstitch

/// A point, for the transformable attribute.
public struct Point: Codable, Hashable, Sendable {
    /// Across.
    public var x: Double
    /// Up.
    public var y: Double
    /// A point.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
